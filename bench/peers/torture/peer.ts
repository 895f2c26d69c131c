import { readFileSync } from "node:fs";
import path from "node:path";
import type { Driver } from "../../../src/torture.ts";

/** A system that goes through the trials. One file each, with its server next to it. */
export interface Peer {
  /** As in the table. */
  readonly name: string;
  /** What was installed, with versions. */
  readonly versions: string;
  /** How it is set up, where it stores runs, and which settings are not the defaults, in sentences. */
  readonly setUp: string;
  readonly url: string;
  readonly command: string;
  readonly driver: Driver;
  stop?(): unknown;
}

/** Starts what a peer needs, or returns one line with the reason why it cannot run here. Several if they share a file. */
export type SetUp = (place: Place) => Promise<Peer | string | (Peer | string)[]>;

export interface Place {
  /** A separate folder. */
  readonly directory: string;
  port(): Promise<number>;
}

/** A command line for a shell. */
export const shellLine = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");

export const nodeCommand = (file: string, variables: Readonly<Record<string, string>>): string => {
  const set = Object.entries(variables).map(([name, value]) => `${name}=${shellLine([value])}`);
  return `${set.join(" ")} exec ${shellLine([process.execPath, "--disable-warning=ExperimentalWarning", file])}`;
};

/** The versions of packages that bench/package.json installs. */
export const versionsOf = (...names: readonly string[]): string =>
  names
    .map((name) => {
      const file = path.join(import.meta.dirname, "../../node_modules", name, "package.json");
      return `${name} ${(JSON.parse(readFileSync(file, "utf8")) as { version: string }).version}`;
    })
    .join(", ");
