import { Refusal } from "../../source.ts";

/** The client's major SDK version. Each supports different chunks and fails on unknown ones. */
export type SdkVersion = 5 | 6 | 7;

export interface Style {
  readonly sdk: SdkVersion;
  /** The client continues an existing message, which keeps its id. */
  readonly continues: boolean;
}

const DEFAULT = "6";
const VERSIONS = ["5", "6", "7"];

/** The style of a command: `6`, or `6+` for a continued message. */
export const writeStyle = (sdk: string | null, continues: boolean): string => {
  const version = sdk ?? DEFAULT;
  if (VERSIONS.includes(version)) return continues ? `${version}+` : version;
  throw new Refusal("bad-request", `sdk=${version.slice(0, 20)} is not supported`, {
    hint: "use the major version of the ai package: sdk=5, sdk=6 or sdk=7",
  });
};

export const readStyle = (style = DEFAULT): Style => ({
  sdk: Number(style.replace("+", "")) as SdkVersion,
  continues: style.endsWith("+"),
});
