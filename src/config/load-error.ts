import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { didYouMean } from "../did-you-mean.ts";
import { messageOf } from "../message-of.ts";

/** Why a configuration cannot be loaded: the file and the line, the reason, and what to do about it. */
export const loadErrorText = (file: string, error: unknown): string => {
  const name = path.basename(file);
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === "ERR_UNKNOWN_FILE_EXTENSION" && name.endsWith(".ts"))
    return `${name}: Node.js ${process.versions.node} cannot load TypeScript; use 22.18 or newer, or write it as runcast.config.mjs`;
  const place = placeOf(file, error);
  const line = place?.file === file ? `:${place.line}` : "";
  const elsewhere = place && line === "" ? `${path.relative(path.dirname(file), place.file)}:${place.line}: ` : "";
  return `${name}${line}: cannot be loaded: ${elsewhere}${reasonOf(error, code)}`;
};

const reasonOf = (error: unknown, code: string | undefined): string => {
  const message = messageOf(error);
  const [, missing] = /^Cannot find package '((?:@[^/']+\/)?[^/']+)' imported from /.exec(message) ?? [];
  if (missing !== undefined) return `${message}; install it: npm install ${missing}`;
  const wanted = ownModuleIn(message);
  if (wanted !== undefined) return `there is no module ${wanted}${didYouMean(wanted, KINDS.flatMap(modulesIn))}`;
  if (code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX")
    return `${message}; Node.js only removes types, so use syntax that JavaScript also has`;
  return message;
};

const KINDS = ["sources", "dialects", "tools", "models", "logs"];

/** The Runcast module that an import names, if the error is that this module does not exist. */
const ownModuleIn = (message: string): string | undefined => {
  const [, kind, variant] = /^Cannot find module '[^']*[/\\]dist[/\\](\w+)[/\\]([\w.-]+)\.js'/.exec(message) ?? [];
  if (kind !== undefined && KINDS.includes(kind)) return `runcast/${kind}/${variant}`;
  const [, subpath, manifest] = /^Package subpath '\.\/([^']+)' is not .* in (.+?package\.json)/.exec(message) ?? [];
  const isOwn = manifest !== undefined && /"name": "runcast"/.test(readFileSync(manifest, "utf8"));
  return isOwn ? `runcast/${subpath}` : undefined;
};

const modulesIn = (kind: string): readonly string[] =>
  readdirSync(new URL(`../${kind}`, import.meta.url))
    .filter((file) => /^[\w-]+\.[jt]s$/.test(file))
    .map((file) => `runcast/${kind}/${path.parse(file).name}`);

interface Place {
  readonly file: string;
  readonly line: number;
}

/** Where the error is: in the configuration, or in a file that it imports. Undefined if that is unknown. */
const placeOf = (file: string, error: unknown): Place | undefined => {
  const { stack = "" } = (error ?? {}) as Partial<Error>;
  const place = firstPlace(stack) ?? (error instanceof SyntaxError ? checkedPlace(file) : undefined);
  if (place) return place;
  const [, after = ""] = stack.split(`${pathToFileURL(file).href}:`);
  const line = Number.parseInt(after, 10);
  return Number.isNaN(line) ? undefined : { file, line };
};

/** Syntax errors begin with their place. */
const firstPlace = (text: string): Place | undefined => {
  const [, place = "", line] = /^(.+):(\d+)\r?\n/.exec(text) ?? [];
  const file = place.startsWith("file:") ? fileURLToPath(place) : place;
  return path.isAbsolute(file) && existsSync(file) ? { file, line: Number(line) } : undefined;
};

/** Node.js does not report the place of a JavaScript syntax error to the program. `node --check` prints it. */
const checkedPlace = (file: string): Place | undefined =>
  firstPlace(spawnSync(process.execPath, ["--check", file], { encoding: "utf8", timeout: 5000 }).stderr ?? "");
