import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Result } from "../../src/torture.ts";

/** What the trials found out about one system, or why it was not measured. */
export interface Measured {
  readonly name: string;
  readonly absent?: string;
  readonly versions?: string;
  readonly setUp?: string;
  /** The day. */
  readonly measured?: string;
  readonly isShort?: boolean;
  readonly results?: readonly Result[];
}

/** A system that was measured. */
export type System = Required<Omit<Measured, "absent">>;

export const isOurs = ({ name }: System): boolean => name.startsWith("Runcast");

/** The results of the runs on this machine so far. */
export const readMeasured = (folder: string): readonly Measured[] =>
  readdirSync(folder).flatMap((file) => JSON.parse(readFileSync(path.join(folder, file), "utf8")) as Measured[]);
