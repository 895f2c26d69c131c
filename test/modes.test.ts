import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { RunRequest } from "../src/source.ts";
import { Refusal } from "../src/source.ts";
import { type AgentOptions, agent } from "../src/sources/agent.ts";
import { type Toolkit, defineTool } from "../src/tool.ts";
import type { Beat } from "../src/models/demo.ts";
import { drive, playing, user } from "./drive.ts";
import { serve, post } from "./serving.ts";

const tool = (name: string) => defineTool({ name, description: "", input: z.object({}), run: () => `${name} ran` });
const modes = {
  Lec: { description: "write a lecture", instructions: "Write lectures.", tools: ["create", "kit_write"] },
  Rev: { instructions: "Ask questions.", tools: ["read"] },
  Free: {},
};
const kit: Toolkit = { open: () => ({ tools: () => [tool("kit_write"), tool("kit_other")] }) };

const asking = async (
  messages: string | RunRequest["messages"],
  request: Partial<RunRequest> = {},
  options: Partial<AgentOptions> = {},
) => {
  const beats: readonly Beat[] = [{ say: "Yes." }];
  const { model, requests } = playing({
    name: "any",
    message: "",
    description: "",
    matches: () => true,
    steps: [() => beats],
  });
  const tools = [tool("create"), tool("read"), kit];
  const source = agent({ name: "tutor", model, instructions: "You teach.", tools, modes, ...options });
  const asked = typeof messages === "string" ? [user(messages)] : messages;
  const run = await drive(source, { messages: asked, ...request });
  const [first] = requests;
  return {
    ...run,
    offered: first?.tools?.map(({ name }) => name),
    system: first?.prompt.flatMap((message) => (message.role === "system" ? [message.content] : [])),
    seen: first?.prompt.flatMap((message) =>
      message.role === "user" ? message.content.map((part) => (part.type === "text" ? part.text : part.type)) : [],
    ),
  };
};
const ALL = ["create", "read", "kit_write", "kit_other"];

describe("a command", () => {
  test("selects instructions and tools, including those of toolkits, and is removed from what the model sees", async () => {
    const { offered, system, seen, all } = await asking("/Lec Graphs, for beginners");
    expect(offered).toEqual(["create", "kit_write"]);
    expect(system).toEqual(["You teach.\n\nWrite lectures."]);
    expect(seen).toEqual(["Graphs, for beginners"]);
    expect(all("data")).toEqual([{ type: "data", name: "mode", value: "Lec" }]);
    expect(all("notice")).toEqual([]);
  });

  test.each(["/lec x", "/LEC x", "/Lec\nx", "/Lec   x"])("%j is Lec", async (message) => {
    const { offered, seen } = await asking(message);
    expect(offered).toEqual(["create", "kit_write"]);
    expect(seen).toEqual(["x"]);
  });

  test.each([" /Lec x", "x /Lec", "/Lecture/x y", "/Lec/x", "/Lec. Go", "Lec x", "/ Lec", "//Lec x"])(
    "%j is text, without a notice",
    async (message) => {
      const { offered, seen, all } = await asking(message);
      expect(offered).toEqual(ALL);
      expect(seen).toEqual([message]);
      expect(all("notice")).toEqual([]);
    },
  );

  test("an unknown command is text, with a notice that lists the commands", async () => {
    const { offered, seen, all } = await asking("/Lecture Graphs");
    expect(offered).toEqual(ALL);
    expect(seen).toEqual(["/Lecture Graphs"]);
    expect(all("notice").map(({ text }) => text)).toEqual([
      "/Lecture is not a command of tutor, so it was read as text. Available commands: /Lec (write a lecture), /Rev, /Free.",
    ]);
  });

  test("has no effect for an agent without modes", async () => {
    const { seen, all } = await asking("/Lec Graphs", {}, { modes: {} });
    expect(seen).toEqual(["/Lec Graphs"]);
    expect(all("notice")).toEqual([]);
  });

  test("a command without text leaves its name, and nothing next to a file", async () => {
    expect((await asking("/rev")).seen).toEqual(["Rev"]);
    const file = { type: "file" as const, mediaType: "image/png", data: "YQ==" };
    const both = { role: "user" as const, content: [file, { type: "text" as const, text: "/rev" }] };
    expect((await asking([both])).seen).toEqual(["file"]);
  });

  test("applies to the last user message, even while the client's tools run, and is removed from earlier ones", async () => {
    const earlier = [
      user("/Lec Graphs"),
      { role: "assistant" as const, content: [{ type: "text" as const, text: "Done." }] },
    ];
    const { offered, seen, all } = await asking([...earlier, user("And now?")]);
    expect(offered).toEqual(ALL);
    expect(seen).toEqual(["Graphs", "And now?"]);
    expect(all("data")).toEqual([]);
    expect((await asking(earlier)).offered).toEqual(["create", "kit_write"]);
  });

  test("the command of a mode without tools keeps all of them", async () => {
    expect((await asking("/Free x")).offered).toEqual(ALL);
  });
});

describe("a request's mode", () => {
  test("selects like a command, and a command takes precedence", async () => {
    expect((await asking("Quiz me", { mode: "rev" })).offered).toEqual(["read"]);
    const { offered, seen } = await asking("/Lec x", { mode: "Rev" });
    expect(offered).toEqual(["create", "kit_write"]);
    expect(seen).toEqual(["x"]);
  });

  test("an unknown mode is refused by name before anything happens", async () => {
    const { error, events } = await asking("x", { mode: "Work" });
    expect(events).toEqual([]);
    expect(error).toBeInstanceOf(Refusal);
    expect((error as Refusal).message).toBe(
      "The agent tutor has no mode Work. Its modes: /Lec (write a lecture), /Rev, /Free.",
    );
    const { error: none } = await asking("x", { mode: "Work" }, { modes: {} });
    expect((none as Refusal).message).toBe("The agent tutor has no mode Work. Its modes: none.");
  });

  test("over HTTP, a refusal is a status, and the log contains the user's original message", async () => {
    const { model } = playing();
    const { url } = await serve(agent({ name: "tutor", model, modes, tools: [tool("create"), tool("read"), kit] }));
    const refused = await post(`${url}/runs`, { message: "x", mode: "Work" });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("/Lec (write a lecture), /Rev, /Free");
    const started = await post(`${url}/runs`, { message: "/Free are you real?" });
    expect(await started.text()).toContain("/Free are you real?");
  });
});

test.each<[what: string, modes: AgentOptions["modes"], message: RegExp]>([
  ["an unknown tool", { Lec: { tools: ["creat"] } }, /names the tool creat/],
  ["a name that is not a word", { "Lec ture": {} }, /cannot be a command/],
  ["two names that differ only in case", { Lec: {}, lec: {} }, /two modes are named lec/],
])("creating an agent throws if its modes have %s", (_, wrong, message) => {
  const make = () => agent({ name: "tutor", model: "demo/scripted", tools: [tool("create")], modes: wrong! });
  expect(make).toThrow(message);
});
