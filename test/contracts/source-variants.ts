import { streamText } from "ai";
import { native } from "../../src/dialects/native.ts";
import { demo } from "../../src/models/demo.ts";
import { Refusal, type Source } from "../../src/source.ts";
import { agent } from "../../src/sources/agent.ts";
import { aiSdk } from "../../src/sources/ai-sdk.ts";
import { agno } from "../../src/sources/agno.ts";
import { langgraph } from "../../src/sources/langgraph.ts";
import { http } from "../../src/sources/http.ts";
import { program } from "../../src/sources/program.ts";
import { scripted, text } from "../acp/scripted.ts";
import { answering, staying } from "../agno/scripted.ts";
import * as scriptedGraph from "../langgraph/scripted.ts";
import { script } from "../drive.ts";
import { serve, silent } from "../serving.ts";

export interface SourceVariant {
  /** Emits some output and ends. */
  answers(): Source | Promise<Source>;
  /** Emits some output and runs until it is cancelled. */
  stays(): Source | Promise<Source>;
  /** Refuses every request before its first event. */
  refuses(): Source | Promise<Source>;
  /** It cannot know what its agent is for. `describeAgent` adds that. */
  readonly isUndescribed?: true;
}

const unreachable = "http://127.0.0.1:9";

/** Every file of src/sources, by name. */
export const sourceVariants: Readonly<Record<string, SourceVariant>> = {
  acp: {
    answers: () => scripted({ turn: [text("Hello."), { stop: "end_turn" }] }),
    stays: () => scripted({ turn: [text("Working."), { wait: 600_000 }] }),
    refuses: () => scripted({ turn: [] }, { cwd: "/no/such/folder" }),
  },
  agent: {
    answers: () => agent({ model: demo({ speed: Infinity }), description: "Answers." }),
    // At the demo's pace, this takes minutes.
    stays: () => agent({ model: demo({ stories: [script("hi", [{ say: "one two three ".repeat(10_000) }])] }) }),
    refuses: () => agent({ model: () => undefined as never }),
  },
  "ai-sdk": {
    isUndescribed: true,
    answers: () => aiSdk((call) => streamText({ model: demo({ speed: Infinity }), ...call })),
    stays: () => {
      const model = demo({ stories: [script("hi", [{ say: "one two three ".repeat(10_000) }])] });
      return aiSdk((call) => streamText({ model, ...call }));
    },
    refuses: () => aiSdk(() => Promise.reject(new Error("there is no such agent"))),
  },
  agno: {
    answers: answering,
    stays: staying,
    refuses: () => agno({ url: unreachable, agent: "nobody" }),
  },
  http: {
    isUndescribed: true,
    answers: async () => http({ dialect: native, url: (await serve(agent({ model: demo({ speed: Infinity }) }))).url }),
    stays: async () => http({ dialect: native, url: (await serve(silent)).url }),
    refuses: () => http({ dialect: native, url: unreachable, retryMs: 0 }),
  },
  langgraph: {
    answers: scriptedGraph.answering,
    stays: scriptedGraph.staying,
    refuses: () => langgraph({ url: unreachable, assistant: "nobody" }),
  },
  program: {
    isUndescribed: true,
    answers: () => program((run) => run.text("Hello.")),
    stays: () =>
      program(async ({ text, signal }) => {
        await text("Working.");
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      }),
    refuses: () =>
      program(() => {
        throw new Refusal("no", "Not today.");
      }),
  },
};
