import { expect, test } from "vitest";
import { Translation } from "../../src/sources/langgraph/translation.ts";

test("the user's arguments are those of one call, even if the provider repeats its id", () => {
  const translation = new Translation("r");
  const model = (name: string) => {
    const chunk = { id: "call_0", name, args: "{}", index: 0 };
    translation.frame("messages", [{ type: "AIMessageChunk", id: name, tool_call_chunks: [chunk] }, {}]);
  };
  const execute = (name: string) => {
    const call = { type: "tool_call", id: "call_0", name, args: { by: "model" } };
    const started = translation.frame("tasks", { id: name, name: "tools", input: [call] });
    translation.frame("tasks", { id: name, name: "tools", result: {} });
    return started.at(-1)?.data["input"];
  };
  model("send_mail");
  const edited = { call_0: { name: "send_mail", args: { by: "user" } } };
  translation.frame("tasks", { id: "h", name: "Review", result: { hitl_edited_tool_calls: edited } });
  expect(execute("send_mail")).toEqual({ by: "user" });
  model("get_weather");
  expect(execute("get_weather")).toEqual({ by: "model" });
});
