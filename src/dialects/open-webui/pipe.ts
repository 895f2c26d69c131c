import type { Way } from "./compatibility.ts";

/** The pipe's facts about itself and the Open WebUI it runs in. */
export interface Pipe {
  readonly version?: string;
  readonly mode: Exclude<Way, "connection">;
  /** Whether it runs code in the user's page. */
  readonly execute: boolean;
  /** Whether citations of tools, and in one style their results, are shown as sources. */
  readonly citations: boolean;
  readonly subAgentStatus: boolean;
}

/** Parses the pipe's facts, such as `open-webui=0.10.2; mode=native`. Undefined if the client is not the pipe. */
export const readPipe = (facts: string): Pipe | undefined => {
  const given = factsIn(facts);
  return given.has("mode") ? pipeOf(given) : undefined;
};

/** The facts in the pipe's header that affect encoding. Others are dropped, so that more viewers can share an encoder. */
export const pipeFacts = (header: string): { readonly style: string | undefined; readonly facts: string } => {
  const given = factsIn(header);
  const { version, mode, execute, citations, subAgentStatus } = pipeOf(given);
  const facts = [
    version !== undefined && `open-webui=${version}`,
    `mode=${mode}`,
    execute && "execute=1",
    !citations && "citations=0",
    !subAgentStatus && "subagent-status=0",
  ];
  return { style: given.get("style"), facts: facts.filter(Boolean).join("; ") };
};

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
  };
};
