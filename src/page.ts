import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { frame } from "./page/frame.ts";
import type { Page } from "./server.ts";

export interface PageOptions {
  /** Default: where the page was built. */
  readonly directory?: string | undefined;
  /** A JavaScript module with an application's cards, which the page loads as its own. */
  readonly cards?: string | undefined;
}

/**
 * The page as it was built: every file is read once and compressed when it is first asked for. Undefined where nothing was
 * built (`npm run build` does that, and the published package has it).
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
    // Where it may be framed, the server says.
    if (name === "live") return await respond({ ...files.get("index.html")!(), headers: LIVE_HEADERS }, request);
    const file = files.get(name)?.();
    return file && (await respond(file, request));
  };
};

interface PageFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** The same, compressed, by the name of the coding. */
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

/** Beside the built package's JavaScript, or where this repository builds it. */
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

/** Named by its content, as every asset is: another version has another address. */
const cardsOf = (file: string): { readonly name: string; readonly bytes: Uint8Array } => {
  const bytes = readFileSync(file);
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  return { name: `assets/cards-${hash}.js`, bytes };
};

/** The page reads the address from its own document: nothing else can name a module that it loads. */
const withCards = (document: Uint8Array, name: string): Uint8Array =>
  Buffer.from(
    Buffer.from(document)
      .toString()
      .replace("</head>", `  <meta name="runcast-cards" content="./${name}" />\n  </head>`),
  );

const fileOf = (name: string, bytes: Uint8Array): PageFile => {
  const extension = path.extname(name);
  const type = TYPES[extension] ?? "application/octet-stream";
  // The hash in an asset's name is its version; the document that names them is asked for again each time.
  const cache = !name.startsWith("assets/") ? "no-cache" : "public, max-age=31536000, immutable";
  const headers = { ...HEADERS, "content-type": type, "cache-control": cache };
  const isText = /text|json|svg|wasm/.test(type);
  return { headers, bytes, compressed: isText ? { br: once(() => brotli(bytes)), gzip: once(() => zip(bytes)) } : {} };
};

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
/** Above this level a megabyte takes seconds for a few percent. */
const LEVEL = 9;
const brotli = (bytes: Uint8Array): Promise<Uint8Array> =>
  compressBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: LEVEL } });
const zip = (bytes: Uint8Array): Promise<Uint8Array> => compressGzip(bytes, { level: LEVEL });

/** The page runs its own scripts and talks to this server, and nothing else, whatever a run may bring. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Formulas and highlighted code are placed and coloured by attributes. What an attribute could fetch, the lines below forbid.
  "style-src-attr 'unsafe-inline'",
  // Which hosts images come from, the reader decides: without their leave the page makes no such image.
  "img-src 'self' data: blob: https:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  // What is embedded cannot lead its frame elsewhere either.
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

/** One run, in a frame of another page. */
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
