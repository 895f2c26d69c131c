import { compatibility, type Table, type Way } from "./compatibility.ts";

/** The pipe's facts about itself and the Open WebUI it runs in. */
export interface Pipe {
  readonly version?: string;
  readonly mode: Exclude<Way, "connection">;
  /** Whether it runs code in the user's page. */
  readonly execute: boolean;
  /** Whether citations of tools, and in one style their results, are shown as sources. */
  readonly citations: boolean;
  readonly subAgentStatus: boolean;
  /** Whether to show these facts in the status line. */
  readonly debug: boolean;
}

/** Parses the pipe's facts, such as `open-webui=0.10.2; mode=native`. Undefined if the client is not the pipe. */
export const readPipe = (facts: string): Pipe | undefined => {
  const given = factsIn(facts);
  return given.has("mode") ? pipeOf(given) : undefined;
};

/** The facts in the pipe's header that affect encoding. Others are dropped, so more viewers can share an encoder. */
export const pipeFacts = (header: string): { readonly style: string | undefined; readonly facts: string } => {
  const given = factsIn(header);
  return { style: given.get("style"), facts: factsOf(pipeOf(given)).join("; ") };
};

/** What the status line shows for debugging: the run, the pipe's facts, and the events that this version ignores. */
export const debugText = (run: string, pipe: Pipe | undefined, table: Table): string | undefined => {
  if (!pipe?.debug) return undefined;
  const ignored = compatibility.map(({ type }) => type).filter((type) => !table.shows(type));
  return `debug: ${[`run=${run}`, ...factsOf(pipe)].join("; ")}; not shown: ${ignored.join(", ")}`;
};

const factsOf = ({ version, mode, execute, citations, subAgentStatus, debug }: Pipe): string[] =>
  [
    version !== undefined && `open-webui=${version}`,
    `mode=${mode}`,
    execute && "execute=1",
    !citations && "citations=0",
    !subAgentStatus && "subagent-status=0",
    debug && "debug=1",
  ].filter((fact) => fact !== false);

const factsIn = (facts: string): ReadonlyMap<string, string> => new Map(facts.split(";").map(pairOf));

const pairOf = (fact: string): [string, string] => {
  const [, name = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(fact) ?? [];
  return [name.trim().toLowerCase(), value.trim()];
};

const pipeOf = (given: ReadonlyMap<string, string>): Pipe => {
  const version = /^\d+(?:\.\d+){0,3}/.exec(given.get("open-webui") ?? "")?.[0];
  return {
    ...(version !== undefined && { version }),
    mode: given.get("mode") === "legacy" ? "legacy" : "native",
    execute: given.get("execute") === "1",
    citations: given.get("citations") !== "0",
    subAgentStatus: given.get("subagent-status") !== "0",
    debug: given.get("debug") === "1",
  };
};
