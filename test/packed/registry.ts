import { createReadStream, readFileSync, readdirSync, statSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type ArchivedFile, writeArchive } from "../../src/archive.ts";
import { root } from "./checkout.ts";

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/**
 * An npm registry with the package under test, if there is one, and the packages of this checkout, in their installed versions. So an
 * install needs no network and gives the same result every time.
 */
export const startRegistry = async (tarball?: string) => {
  const own = readManifest(root);
  const installed = installedPackages();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    const wanted = decodeURIComponent(pathname.slice(1));
    if (wanted === "-/own.tgz" && tarball !== undefined) return void createReadStream(tarball).pipe(response);
    const place = /^-\/(.+)\.tgz$/.exec(wanted)?.[1];
    if (place !== undefined) return void sendPackage(path.join(root, place), response);
    const address = `http://${request.headers.host}`;
    const versions =
      wanted === own.name
        ? [{ ...own, dist: { tarball: `${address}/-/own.tgz` } }]
        : (installed.get(wanted) ?? []).map((place) => ({
            ...readManifest(path.join(root, place)),
            dist: { tarball: `${address}/-/${encodeURIComponent(place)}.tgz` },
          }));
    if (versions.length === 0) return void response.writeHead(404).end("{}");
    response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify({
        name: wanted,
        "dist-tags": { latest: versions[0]!.version },
        versions: Object.fromEntries(versions.map((manifest) => [manifest.version, manifest])),
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const readManifest = (directory: string): Manifest =>
  JSON.parse(readFileSync(path.join(directory, "package.json"), "utf8")) as Manifest;

/** The places of each package, the one that the checkout itself uses first. */
const installedPackages = (): ReadonlyMap<string, readonly string[]> => {
  const { packages } = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { readonly link?: boolean; readonly name?: string }>;
  };
  const places = new Map<string, string[]>();
  for (const [place, { link, name }] of Object.entries(packages)) {
    const [, folder] = /.*node_modules\/(.+)$/.exec(place) ?? [];
    // A name of its own means an alias.
    if (folder === undefined || link || name !== undefined) continue;
    places.set(
      folder,
      [...(places.get(folder) ?? []), place].toSorted((a, b) => a.length - b.length),
    );
  }
  return places;
};

const sendPackage = (directory: string, response: ServerResponse): Promise<void> =>
  pipeline(Readable.from(writeArchive(filesIn(directory))), createGzip({ level: 1 }), response).catch(() => {
    response.destroy();
  });

async function* filesIn(directory: string): AsyncGenerator<ArchivedFile> {
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    const file = path.join(directory, name);
    const stats = statSync(file);
    if (!stats.isFile() || name.startsWith("node_modules")) continue;
    yield { name: `package/${name}`, size: stats.size, bytes: createReadStream(file) };
  }
}
