import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

interface Locked {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const root = path.join(import.meta.dirname, "../..");
const { packages } = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")) as {
  packages: Record<string, Locked>;
};

/** Where Node finds a package from inside another one: next to it, or in a folder above. */
const isLocked = (from: string, name: string): boolean => {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf("node_modules/") - 1))) {
    if (`${place === "" ? "" : `${place}/`}node_modules/${name}` in packages) return true;
    if (place === "") return false;
  }
};

describe("package-lock.json", () => {
  // npm writes only the binaries of platforms whose packages it could read. A platform without an entry gets no binary,
  // and the page cannot be built there.
  test("every platform's binaries are locked", () => {
    const missing = Object.entries(packages).flatMap(([from, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isLocked(from, name)),
    );
    expect(missing).toEqual([]);
  });
});
