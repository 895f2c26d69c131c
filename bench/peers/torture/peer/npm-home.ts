import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { homeOf } from "../../../../scripts/install-agents/agents.ts";
import { runCommand } from "./command.ts";

/** Packages that are too large for the checkout, by name and version. */
export type Packages = Readonly<Record<string, string>>;

export interface NpmOptions {
  /** More options for npm. */
  readonly options?: readonly string[];
  /** Versions of the dependencies of these packages. */
  readonly overrides?: Packages;
}

/** The folder whose node_modules has these packages. Installs them once; undefined if npm cannot. */
export const npmHome = async (
  name: string,
  packages: Packages,
  { options = [], overrides = {} }: NpmOptions = {},
): Promise<string | undefined> => {
  const home = homeOf({ name });
  const isInstalled = Object.entries(packages).every(([one, version]) => versionIn(home, one) === version);
  if (isInstalled) return home;
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(home, "package.json"), JSON.stringify({ private: true, type: "module", overrides }));
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts"];
  const wanted = Object.entries(packages).map(([one, version]) => `${one}@${version}`);
  const status = await runCommand("npm", ["install", ...quiet, ...options, ...wanted], home);
  return status === 0 ? home : undefined;
};

const versionIn = (home: string, name: string): string | undefined => {
  const file = path.join(home, "node_modules", name, "package.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version : undefined;
};
