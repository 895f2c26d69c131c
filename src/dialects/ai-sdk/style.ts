import { Refusal } from "../../source.ts";

/** Which chunks a client reads: each major version of the SDK knows others, and fails at what it does not know. */
export type SdkVersion = 5 | 6 | 7;

export interface Style {
  readonly sdk: SdkVersion;
  /** The client goes on with the message that it has: its id stays. */
  readonly continues: boolean;
}

const DEFAULT = "6";
const VERSIONS = ["5", "6", "7"];

/** A style as a command holds it: `6`, or `6+` for a message that goes on. */
export const writeStyle = (sdk: string | null, continues: boolean): string => {
  const version = sdk ?? DEFAULT;
  if (VERSIONS.includes(version)) return continues ? `${version}+` : version;
  throw new Refusal("bad-request", `sdk=${version.slice(0, 20)} is not known`, {
    hint: "the major version of the package ai: sdk=5, sdk=6 or sdk=7",
  });
};

export const readStyle = (style = DEFAULT): Style => ({
  sdk: Number(style.replace("+", "")) as SdkVersion,
  continues: style.endsWith("+"),
});
