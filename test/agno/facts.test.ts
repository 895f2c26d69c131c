import { expect, test } from "vitest";
import { logOf } from "../frameworks/log-of.ts";
import { looking } from "../frameworks/play.ts";
import { replay } from "./recording.ts";

const RUN = { run_id: "1", agent_name: "Tutor" };
const playing = async (...events: readonly object[]) => {
  const lines = [{ event: "RunStarted" }, ...events, { event: "RunCompleted", content: "" }];
  return looking(await logOf(replay(lines.map((event) => ({ frame: { ...RUN, ...event } }))).events));
};

test("the model's sources are citations, each shown once, also after a takeover", async () => {
  const citations = {
    urls: [{ url: "https://a.example/", title: "A" }, { url: "https://a.example/" }, {}],
    documents: [{ document_title: "Notes", cited_text: "It rained." }],
  };
  const { all } = await playing(
    { event: "RunContent", content: "It rained.", citations },
    { event: "RunContent", content: "", citations },
  );
  expect(all("citation")).toMatchObject([
    { url: "https://a.example/", title: "A" },
    { title: "Notes", text: "It rained." },
  ]);
  const { decoder } = replay([]);
  decoder.restore({ run: "1", index: 0 }, all("citation"));
  expect(decoder.frame(JSON.stringify({ ...RUN, event: "RunContent", citations }))).toEqual([]);
});

test("the output of a workflow's function is data, its progress a status, and the output of agents is theirs", async () => {
  const output = (step: string, executor: string) => ({
    ...{ event: "StepOutput", step_name: step },
    step_output: { step_name: step, executor_type: executor, content: "Three owls." },
  });
  const { all } = await playing(
    { event: "StepStarted", step_name: "count" },
    { event: "StepProgress", step_name: "count", content: "Two owls." },
    output("count", "function"),
    output("write", "agent"),
  );
  expect(all("status").map(({ text }) => text)).toEqual(["Step count", "Two owls."]);
  expect(all("data").filter(({ name }) => name === "step")).toMatchObject([{ id: "count", value: "Three owls." }]);
});

test.each(["", null])(
  "a result of %j stays empty: the event's own text only says how long the call took",
  async (result) => {
    const tool = { tool_call_id: "c", tool_name: "draw", tool_args: {} };
    const { calls } = await playing(
      { event: "ModelRequestStarted" },
      { event: "ToolCallStarted", tool },
      { event: "ToolCallCompleted", tool: { ...tool, result }, content: "draw() completed in 0.0123s. " },
      { event: "ModelRequestCompleted" },
    );
    expect(calls).toMatchObject([{ state: "ok", content: [] }]);
  },
);
