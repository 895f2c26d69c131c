import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { frame } from "./page/frame.ts";
import type { Page } from "./server.ts";

export interface PageOptions {
  /** Default: the build output. */
  readonly directory?: string | undefined;
  /** A JavaScript module with the application's cards, which the page loads as its own. */
  readonly cards?: string | undefined;
}

/**
 * Serves the built page. Each file is read once, and compressed on its first request. Undefined if the page is not
 * built (run `npm run build`; the published package includes it).
 */
export const page = ({ directory = findBuilt(), cards }: PageOptions = {}): Page | undefined => {
  if (directory === undefined) return undefined;
  const names = readdirSync(path.join(directory, "assets")).map((name) => `assets/${name}`);
  const read = (name: string): Uint8Array => readFileSync(path.join(directory, name));
  const files = new Map(["element.js", ...names].map((name) => [name, once(() => fileOf(name, read(name)))]));
  const added = cards === undefined ? undefined : cardsOf(cards);
  if (added)
    files.set(
      added.name,
      once(() => fileOf(added.name, added.bytes)),
    );
  files.set(
    "index.html",
    once(() => fileOf("index.html", added ? withCards(read("index.html"), added.name) : read("index.html"))),
  );
  return async (request) => {
    const url = new URL(request.url);
    if (url.pathname === "/frame") return frame(url);
    const name = url.pathname.slice(1) || "index.html";
    // The server sets where it may be framed.
    if (name === "live") return await respond({ ...files.get("index.html")!(), headers: LIVE_HEADERS }, request);
    const file = files.get(name)?.();
    return file && (await respond(file, request));
  };
};

interface PageFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** Compressed variants, by content coding. */
  readonly compressed: Readonly<Record<string, () => Promise<Uint8Array>>>;
}

const respond = async ({ headers, bytes, compressed }: PageFile, request: Request): Promise<Response> => {
  const accepted = (request.headers.get("accept-encoding") ?? "").split(/ *, */);
  const coding = Object.keys(compressed).find((name) => accepted.some((text) => text.split(";")[0] === name));
  const body = coding === undefined ? bytes : await compressed[coding]!();
  return new Response(request.method === "HEAD" ? null : new Uint8Array(body), {
    headers: {
      ...headers,
      "content-length": `${body.byteLength}`,
      vary: "accept-encoding",
      ...(coding !== undefined && { "content-encoding": coding }),
    },
  });
};

/** Next to the built package's JavaScript, or in this repository's build output. */
const findBuilt = (): string | undefined =>
  ["web", "../dist/web"]
    .map((place) => path.join(import.meta.dirname, place))
    .find((directory) => existsSync(path.join(directory, "index.html")));

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".woff": "font/woff",
  ".ttf": "font/ttf",
};

/** Named by its content hash, like every asset, so a new version has a new URL. */
const cardsOf = (file: string): { readonly name: string; readonly bytes: Uint8Array } => {
  const bytes = readFileSync(file);
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  return { name: `assets/cards-${hash}.js`, bytes };
};

/** The page reads the URL from its own document, so nothing else can name a module for it to load. */
const withCards = (document: Uint8Array, name: string): Uint8Array =>
  Buffer.from(
    Buffer.from(document)
      .toString()
      .replace("</head>", `  <meta name="runcast-cards" content="./${name}" />\n  </head>`),
  );

const fileOf = (name: string, bytes: Uint8Array): PageFile => {
  const extension = path.extname(name);
  const type = TYPES[extension] ?? "application/octet-stream";
  // The hash in an asset's name is its version. The document that references the assets is always revalidated.
  const cache = !name.startsWith("assets/") ? "no-cache" : "public, max-age=31536000, immutable";
  const headers = { ...HEADERS, "content-type": type, "cache-control": cache };
  const isText = /text|json|svg|wasm/.test(type);
  return { headers, bytes, compressed: isText ? { br: once(() => brotli(bytes)), gzip: once(() => zip(bytes)) } : {} };
};

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
/** Higher levels take seconds per megabyte and save only a few percent. */
const LEVEL = 9;
const brotli = (bytes: Uint8Array): Promise<Uint8Array> =>
  compressBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: LEVEL } });
const zip = (bytes: Uint8Array): Promise<Uint8Array> => compressGzip(bytes, { level: LEVEL });

/** Regardless of a run's content, the page runs only its own scripts and connects only to this server. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Formulas and highlighted code are styled by attributes. The directives below prevent attributes from fetching anything.
  "style-src-attr 'unsafe-inline'",
  // The user decides which hosts images may come from. Without consent the page creates no such image.
  "img-src 'self' data: blob: https:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  // Embedded content cannot navigate its frame elsewhere either.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
];

const HEADERS = {
  "content-security-policy": [...POLICY, "frame-ancestors 'none'"].join("; "),
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};

/** For one run in a frame of another page. */
const LIVE_HEADERS = {
  ...HEADERS,
  "content-security-policy": POLICY.join("; "),
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-cache",
};

const once = <Value>(make: () => Value): (() => Value) => {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
};
