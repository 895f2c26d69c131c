import type { OpenToolkit, Tool } from "../../tool.ts";
import { type DefinedTool, defineForAgent } from "./definition.ts";
import type { Worker } from "./running.ts";
import { until } from "./until.ts";

/** The tools of an agent: its own, and those of its toolkits, which are queried before each step. */
export interface Toolbox {
  /** If several tools have the same name, the first wins: the agent's own, then those of the toolkits in order. */
  tools(): Promise<ReadonlyMap<string, DefinedTool>>;
  close(): Promise<void>;
}

/** For a request whose setting `tools` is false. */
export const emptyToolbox: Toolbox = { tools: async () => new Map(), close: async () => {} };

export const openToolbox = async ({
  definition,
  run,
  signal,
  emit,
}: Pick<Worker, "definition" | "run" | "signal" | "emit">): Promise<Toolbox> => {
  const { tools: own, toolkits, toolTimeoutMs } = definition;
  const opened: OpenToolkit[] = [];
  const defined = new WeakMap<Tool, DefinedTool>();

  const definedOnce = (tool: Tool): DefinedTool => {
    const found = defined.get(tool) ?? defineForAgent(tool, toolTimeoutMs);
    defined.set(tool, found);
    return found;
  };
  const close = async () => {
    await Promise.allSettled(opened.map(async (toolkit) => toolkit.close?.()));
  };
  const open = async () => {
    const context = {
      request: run.request,
      signal,
      status: (text: string) => emit({ type: "status", text }),
      notify: (text: string, level: "info" | "success" | "warning" | "error" = "info") =>
        emit({ type: "notice", level, text }),
    };
    for (const toolkit of toolkits) opened.push(await toolkit.open(context));
  };

  const opening = open();
  try {
    await until(opening, signal);
  } catch (error) {
    void opening.then(close, close);
    throw error;
  }
  return {
    async tools() {
      if (opened.length === 0) return own;
      const tools = new Map(own);
      for (const offered of await until(Promise.all(opened.map((toolkit) => toolkit.tools())), signal))
        for (const tool of offered) if (!tools.has(tool.name)) tools.set(tool.name, definedOnce(tool));
      return tools;
    },
    close,
  };
};
