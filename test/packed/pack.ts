import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import { copyCheckout, freshEnvironment, linkPackages, mustRun } from "./checkout.ts";
import { startRegistry } from "./registry.ts";

export interface Packed {
  /** A copy of this checkout, built. */
  readonly clone: string;
  /** An environment whose npm knows only the local registry. */
  readonly environment: (own?: Readonly<Record<string, string>>) => NodeJS.ProcessEnv;
  readonly emptyFolder: (name: string) => string;
}

/** Packs the package in a copy of this checkout, as `npm publish` would, and offers it in a local registry. */
export const usePacked = (): Packed => {
  const directory = mkdtempSync(path.join(tmpdir(), "runcast-package-"));
  const folder = (name: string): string => {
    const made = path.join(directory, name);
    mkdirSync(made, { recursive: true });
    return made;
  };
  const clone = folder("clone");
  let registry: Awaited<ReturnType<typeof startRegistry>>;
  beforeAll(async () => {
    copyCheckout(clone);
    linkPackages(clone);
    const packed = await mustRun("npm pack --silent --pack-destination ..", clone, freshEnvironment());
    registry = await startRegistry(path.join(directory, packed.trim().split("\n").at(-1)!));
  }, 180_000);
  afterAll(() => {
    registry?.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    clone,
    environment: (own = {}) => freshEnvironment({ npm_config_registry: registry.url, ...own }, folder("home")),
    emptyFolder: (name) => mkdtempSync(path.join(directory, `${name}-`)),
  };
};
