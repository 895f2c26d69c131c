import type { LanguageModelV4 } from "@ai-sdk/provider";
import { z } from "zod";
import type { Event } from "../../src/events.ts";
import { type DemoStory, demo } from "../../src/models/demo.ts";
import type { Source } from "../../src/source.ts";
import { agent } from "../../src/sources/agent.ts";
import { type Tool, defineTool } from "../../src/tool.ts";

const RESEARCHER = "You research.";

const script = (name: string, matches: DemoStory["matches"], ...steps: DemoStory["steps"]): DemoStory => ({
  ...{ name, message: "", description: "", matches, steps },
});
const stories = [
  script(
    "researcher",
    ({ system }) => system.includes(RESEARCHER),
    () => [{ say: ["The notes say", " that all is well."] }],
  ),
  script(
    "root",
    () => true,
    () => [
      { call: "search_notes", input: {} },
      { call: "run_checks", input: {} },
      { call: "send_report", input: {} },
      { call: "task", input: { agent: "researcher", task: "Read the notes" } },
    ],
    () => [{ say: "The report is sent: all is well." }],
  ),
];

const never = () => new Promise<never>(() => {});
const tool = (name: string, run: Tool["run"], more: Partial<Tool> = {}): Tool =>
  defineTool({ name, description: "", input: z.object({}) as Tool["input"], run, ...more });

/** The same agent in each process. In a dying process, the checks and the sub-agent's model do not finish. */
const process = (isDying: boolean): Source =>
  agent({
    model: isDying ? stalling(demo({ speed: Infinity, stories })) : demo({ speed: Infinity, stories }),
    tools: [
      tool("search_notes", () => "3 notes"),
      tool(
        "run_checks",
        async (_, { output }) => {
          if (!isDying) return "3 checks passed";
          output("check 1 of 3\n");
          return await never();
        },
        { repeatable: true },
      ),
      tool("send_report", () => "sent", { approval: "always" }),
    ],
    agents: { researcher: { description: "reads notes", instructions: RESEARCHER } },
  });

/** Stalls in the middle of the sub-agent's text. */
const stalling = (model: LanguageModelV4): LanguageModelV4 => ({
  ...model,
  async doStream(options) {
    const { stream } = await model.doStream(options);
    return {
      stream: stream.pipeThrough(
        new TransformStream({
          async transform(part, controller) {
            controller.enqueue(part);
            if (part.type === "text-delta") await never();
          },
        }),
      ),
    };
  },
});

const CUT: readonly Event["type"][] = ["tool-end", "ask-start", "tool-output-delta", "text-delta"];

/** One call has ended, one is running, one waits for approval, and a sub-agent is writing. Then the process dies and another takes over. */
export const resume = {
  name: "resume",
  message: "Check everything and send the report",
  description:
    "the process dies and another takes over: a finished call stays, an interrupted one runs again, an approval and a sub-agent continue",
  source: process(true),
  dies: (past: readonly Event[]) => CUT.every((type) => past.some((event) => event.type === type)),
  successor: process(false),
};
