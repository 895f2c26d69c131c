import type { Way } from "./compatibility.ts";

export const STYLES = ["cards", "citations", "collapse", "details"] as const;
export type StyleName = (typeof STYLES)[number];

/** How one client wants to see a run, and what is known of it. */
export interface Style {
  readonly name: StyleName;
  /** What the pipe says of itself and of the Open WebUI that it runs in; undefined without it. */
  readonly pipe: Pipe | undefined;
}

export interface Pipe {
  readonly version?: string;
  readonly mode: Exclude<Way, "connection">;
  /** Whether it runs code in the person's page. */
  readonly execute: boolean;
  /** Whether what tools cite, and in one style what they answered, is shown as sources. */
  readonly citations: boolean;
  readonly subAgentStatus: boolean;
}

export const isStyle = (text: string): text is StyleName => (STYLES as readonly string[]).includes(text);

/** The name, then what the pipe said, as it said it: `cards; open-webui=0.10.2; mode=native`. */
export const readStyle = (text: string | undefined): Style => {
  const [name = "", ...facts] = (text ?? "").split(";").map((part) => part.trim());
  const known = new Map(facts.map((fact) => pairOf(fact)));
  return { name: isStyle(name) ? name : "cards", pipe: known.has("mode") ? pipeOf(known) : undefined };
};

/** What of the pipe's header matters for what it is told. Anything else would only keep viewers apart. */
export const pipeFacts = (header: string): { readonly style: string | undefined; readonly facts: string } => {
  const said = new Map(header.split(";").map((fact) => pairOf(fact.trim())));
  const { version, mode, execute, citations, subAgentStatus } = pipeOf(said);
  const facts = [
    version !== undefined && `open-webui=${version}`,
    `mode=${mode}`,
    execute && "execute=1",
    !citations && "citations=0",
    !subAgentStatus && "subagent-status=0",
  ];
  return { style: said.get("style"), facts: facts.filter(Boolean).join("; ") };
};

const pairOf = (fact: string): [string, string] => {
  const [, name = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(fact) ?? [];
  return [name.trim().toLowerCase(), value.trim()];
};

const pipeOf = (said: ReadonlyMap<string, string>): Pipe => {
  const version = /^\d+(?:\.\d+){0,3}/.exec(said.get("open-webui") ?? "")?.[0];
  return {
    ...(version !== undefined && { version }),
    mode: said.get("mode") === "legacy" ? "legacy" : "native",
    execute: said.get("execute") === "1",
    citations: said.get("citations") !== "0",
    subAgentStatus: said.get("subagent-status") !== "0",
  };
};
