import { counted } from "../view.ts";
import type { LoadedConfig, OpenedLog } from "../config.ts";
import { keyHeader } from "./key-header.ts";
import { version } from "./version.ts";

interface Start {
  readonly url: string;
  readonly hasPage: boolean;
  readonly recovered: number;
  readonly dropped: number;
  /** How long runs are kept. */
  readonly kept: string;
  readonly environment: NodeJS.ProcessEnv;
  /** A note about the model. */
  readonly note?: string | undefined;
  /** Problems that keep agents from working. */
  readonly unready: readonly string[];
}

const MAX_COUNTED = 1000;

/** The text that a server prints when it is ready. */
export const greeting = async (
  { agents, file, key, keys = [] }: LoadedConfig,
  { log, place }: OpenedLog,
  { url, hasPage, recovered, dropped, kept, environment, note, unready }: Start,
): Promise<string> => {
  const runs = (await log.list({ limit: MAX_COUNTED + 1 })).length;
  const stored = runs > MAX_COUNTED ? `more than ${counted(MAX_COUNTED, "run")}` : counted(runs, "run");
  const closed = recovered > 0 ? `, ${counted(recovered, "interrupted run")} recovered` : "";
  const deleted = dropped > 0 ? `, ${counted(dropped, "run")} deleted by retention` : "";
  const named = Object.entries(agents).map(([name, { about }]) =>
    [name, about?.model, about?.description].filter(Boolean).join("  "),
  );
  const accepted = [...[key ?? []].flat(), ...keys.map((each) => each.key)];
  const access = accepted.length === 0 ? "" : ` ${keyHeader(accepted, environment)}`;
  return [
    `runcast ${version()}  ${url}`,
    "",
    ...named.map((text, index) => `  ${index === 0 ? "agents" : "      "}  ${text}`),
    ...unready.map((text) => `  warning ${text}`),
    ...(note === undefined ? [] : [`  model   ${note}`]),
    `  config  ${file ?? "none (reads runcast.config.ts from this directory)"}`,
    `  log     ${log.name}${place ? ` in ${place}` : ""}: ${stored}${closed}${deleted}`,
    `          survives ${log.survives}`,
    `          ${log.isLasting ? "" : "until then, "}runs are kept ${kept}`,
    `  page    ${hasPage ? `open ${url} in a browser` : "not built; run npm run build, then restart the server"}`,
    `  try     curl -N -X POST ${url}/runs${access} -H 'content-type: application/json' -d '{"message":"hello"}'`,
    "",
    "",
  ].join("\n");
};
