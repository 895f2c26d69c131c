import { expect, test } from "vitest";
import { z } from "zod";
import { agent } from "../src/sources/agent.ts";
import { type Toolkit, defineTool } from "../src/tool.ts";
import { drive, playing, script, toolResults } from "./drive.ts";

const tool = (name: string, says = name) =>
  defineTool({ name, description: "", input: z.object({}), run: () => says, title: `The ${name}` });

/** One more tool in every step, and a list of the calls to the toolkit. */
const growing = (): Toolkit & { readonly happened: string[] } => {
  const happened: string[] = [];
  const all = ["a", "b", "c"].map((name) => tool(name));
  return {
    happened,
    open({ request, notify }) {
      happened.push(`open for ${request.messages.length}`);
      notify("hello", "warning");
      let asked = 0;
      return {
        tools: () => all.slice(0, ++asked),
        close: () => void happened.push("close"),
      };
    },
  };
};

test("a toolkit is opened for the agent, queried before each step, and closed", async () => {
  const kit = growing();
  const { model, requests } = playing(script("go", [{ call: "a" }], [{ call: "b" }], [{ say: "done" }]));
  const source = agent({ name: "test", model, tools: [tool("a", "own"), kit] });
  const { all, text } = await drive(source, "go");
  expect(requests.map(({ tools }) => tools?.map(({ name }) => name).join(""))).toEqual(["a", "ab", "abc"]);
  expect(toolResults(requests[2])).toEqual([
    ["a", "text", "own"],
    ["b", "text", "b"],
  ]);
  expect(all("notice")).toEqual([{ type: "notice", level: "warning", text: "hello" }]);
  expect(all("tool-start").map(({ title }) => title)).toEqual(["The a", "The b"]);
  expect(text()).toBe("done");
  expect(kit.happened).toEqual(["open for 1", "close"]);
});

test("it is closed when the run is cancelled, and a sub-agent has its own", async () => {
  const kit = growing();
  const { model } = playing(
    script("go", [{ call: "task", input: { agent: "child", task: "work" } }]),
    script("work", [{ call: "a" }]),
  );
  const source = agent({ name: "test", model, agents: { child: { tools: [kit] } } });
  const { all } = await drive(source, "go", (event, { cancelRun }) => {
    if (event.type === "tool-execute" && event.agent !== undefined) cancelRun();
  });
  expect(all("notice")[0]?.agent).toBe("child-1");
  expect(kit.happened).toEqual(["open for 1", "close"]);
});

test("a toolkit that throws ends the run, and those opened before are closed", async () => {
  const kit = growing();
  const broken: Toolkit = {
    open() {
      throw new Error("no tools today");
    },
  };
  const { model } = playing(script("go", [{ say: "never" }]));
  const source = agent({ name: "test", model, tools: [kit, broken] });
  await expect(drive(source, "go")).rejects.toThrow("no tools today");
  expect(kit.happened).toEqual(["open for 1", "close"]);
});

test("tools disappear and change between steps", async () => {
  const kits = [[tool("a", "old"), tool("b")], [tool("a", "new")], []];
  let asked = 0;
  const kit: Toolkit = { open: () => ({ tools: () => kits[asked++]! }) };
  const { model, requests } = playing(
    script("go", [{ call: "a" }], [{ call: "a" }, { call: "b", text: "{}" }], [{ say: "done" }]),
  );
  const { all } = await drive(agent({ name: "test", model, tools: [kit] }), "go");
  expect(requests.map(({ tools }) => tools?.map(({ name }) => name).join("") ?? "")).toEqual(["ab", "a", ""]);
  expect(toolResults(requests[2]).map(([name, kind, text]) => (kind === "text" ? [name, text] : [name, kind]))).toEqual(
    [
      ["a", "old"],
      ["a", "new"],
      ["b", "error-text"],
    ],
  );
  expect(all("tool-end").flatMap(({ error }) => error?.code ?? [])).toEqual(["unknown-tool"]);
});
