import type { Way } from "./compatibility.ts";

/** What the pipe says of itself and of the Open WebUI that it runs in. */
export interface Pipe {
  readonly version?: string;
  readonly mode: Exclude<Way, "connection">;
  /** Whether it runs code in the person's page. */
  readonly execute: boolean;
  /** Whether what tools cite, and in one style what they answered, is shown as sources. */
  readonly citations: boolean;
  readonly subAgentStatus: boolean;
}

/** What it said, as it said it: `open-webui=0.10.2; mode=native`. Undefined if it is not the pipe that speaks. */
export const readPipe = (facts: string): Pipe | undefined => {
  const given = factsIn(facts);
  return given.has("mode") ? pipeOf(given) : undefined;
};

/** What of the pipe's header matters for what it is told. Anything else would only keep viewers apart. */
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
