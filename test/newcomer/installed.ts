import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onStop } from "../serving.ts";

/** A directory that is removed after the test. */
export const temporary = (name: string): string => {
  const made = mkdtempSync(path.join(tmpdir(), `runcast-${name}-`));
  onStop(() => rmSync(made, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return made;
};

const root = path.join(import.meta.dirname, "../..");
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A program of this name in a directory for PATH, which stands for an installed and configured one. */
export const standIn = (
  directory: string,
  name: string,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): void => {
  mkdirSync(directory, { recursive: true });
  const file = path.join(directory, name);
  const set = Object.entries(env).map(([variable, value]) => `export ${variable}=${quoted(value)}`);
  writeFileSync(file, ["#!/bin/sh", ...set, `exec ${command.map(quoted).join(" ")} "$@"`, ""].join("\n"));
  chmodSync(file, 0o755);
};

/** Runcast from this checkout, in place of the package that `npx runcast` installs, for this directory. */
export const standInRuncast = (directory: string): void =>
  standIn(path.join(directory, "node_modules/.bin"), "runcast", [
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    "--import",
    path.join(root, "scripts/own-name.mjs"),
    path.join(root, "src/cli.ts"),
  ]);
