import { createHash } from "node:crypto";

const LONGEST = 64;
const HASH = 8;

/**
 * Creates unique names that every provider accepts: letters, digits, _ and -, at most 64 characters. Deterministic for
 * the same names in the same order.
 */
export const names = (): ((wanted: string) => string) => {
  const taken = new Set<string>();
  return (wanted) => {
    const plain = wanted.replaceAll(/[^A-Za-z0-9_-]/g, "_");
    const hash = createHash("sha256").update(wanted).digest("hex").slice(0, HASH);
    let name = plain.length <= LONGEST && !taken.has(plain) ? plain : `${plain.slice(0, LONGEST - HASH - 1)}_${hash}`;
    for (let count = 2; taken.has(name); count += 1) name = `${name.slice(0, LONGEST - 4)}_${count}`;
    taken.add(name);
    return name;
  };
};
