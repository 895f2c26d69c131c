import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

export interface Import {
  /** A file relative to the directory, or a package's module name. */
  readonly target: string;
  readonly typeOnly: boolean;
  /** Loaded on demand. */
  readonly lazy: boolean;
}

/** The TypeScript files of a directory, by relative path, with their imports. */
export const importsIn = (directory: string): ReadonlyMap<string, readonly Import[]> =>
  new Map(
    readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => file.replaceAll("\\", "/"))
      .map((file) => [file, importsOf(file, readFileSync(path.join(directory, file), "utf8"))]),
  );

const STATEMENT = /^(?:import|export)\s+(type\s)?(?:[^;"']*?\sfrom\s+)?["']([^"']+)["']/gms;
const EXPRESSION = /\bimport\(\s*["']([^"']+)["']/g;

const importsOf = (file: string, text: string): Import[] => {
  const at = (target: string): string =>
    target.startsWith(".") ? path.posix.join(path.posix.dirname(file), target) : target;
  return [
    ...[...text.matchAll(STATEMENT)].map(([, type, target]) => ({
      target: at(target!),
      typeOnly: type !== undefined,
      lazy: false,
    })),
    ...[...text.matchAll(EXPRESSION)].map(([, target]) => ({ target: at(target!), typeOnly: false, lazy: true })),
  ];
};

/** The first cycle of eager value imports, as a list of files. Undefined if there is none. */
export const cycleIn = (imports: ReadonlyMap<string, readonly Import[]>): readonly string[] | undefined => {
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const { target, typeOnly, lazy } of imports.get(file) ?? []) {
      const found = typeOnly || lazy ? undefined : visit(target, [...trail, file]);
      if (found) return found;
    }
    done.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const found = visit(file, []);
    if (found) return found;
  }
  return undefined;
};
