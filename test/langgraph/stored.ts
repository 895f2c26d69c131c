import { expect } from "vitest";
import { splitProviderId } from "../../src/ids.ts";
import type { looking } from "../frameworks/play.ts";

type Looked = ReturnType<typeof looking>;

/** The text of a message's content. */
const textOf = (content: any): string =>
  typeof content === "string"
    ? content
    : content
        .filter(({ type }: any) => type === "text")
        .map(({ text }: any) => text)
        .join("");

const thoughtsOf = (content: any): string =>
  typeof content === "string" ? "" : content.map((block: any) => block.reasoning ?? block.thinking ?? "").join("");

/** Compares a run with the thread's state in LangGraph: text, thoughts, calls, results, todos and files. */
export const expectStored = (looked: Looked, values: any): void => {
  const all: any[] = values.messages;
  const messages = all.slice(all.findLastIndex(({ type }) => type === "human") + 1);
  const answers = messages.filter(({ type }) => type === "ai");
  expect(looked.text()).toBe(answers.map(({ content }) => textOf(content)).join(""));
  expect(looked.thinking()).toBe(answers.map(({ content }) => thoughtsOf(content)).join(""));
  const calls = answers.flatMap(({ tool_calls: list }) => list ?? []);
  const roots = looked.all("tool-start").filter(({ agent }) => agent === undefined);
  const idOf = ({ meta }: (typeof roots)[number]) => splitProviderId(meta).id!;
  // Reviewed calls are stored in another order than the model's.
  expect(roots.map(idOf).toSorted()).toEqual(calls.map(({ id }) => id).toSorted());
  calls.forEach(({ id, name, args }) => {
    const start = roots.find((one) => idOf(one) === id)!;
    const call = looked.calls.find((one) => one.id === start.call)!;
    expect(call.name).toBe(name);
    // In Python, the message still has the model's arguments. In JavaScript, it has the user's.
    const edited = values.hitl_edited_tool_calls?.[id];
    expect(call.input).toEqual(edited?.args ?? args);
    if (edited) expect(call.edited).toBe(true);
    const result = messages.find(({ tool_call_id: of }) => of === id);
    if (!result) return expect(["interrupted", "cancelled", "error"]).toContain(call.state);
    if (call.state === "denied") return expect(result.content).toContain(call.error!.message);
    expect(call.state).toBe(result.status === "error" ? "error" : "ok");
    // The stored result also tells the model that a person changed its arguments.
    if (edited) expect(textOf(result.content)).toContain(textOf(call.content));
    else if (result.status !== "error") expect(textOf(call.content)).toBe(textOf(result.content));
  });
  const todos = (values.todos ?? []).map(({ content }: any) => content);
  expect(((looked.state.data.get("todos") ?? []) as any[]).map(({ text }) => text)).toEqual(todos);
  expect(new Set(looked.all("file").map(({ name }) => name))).toEqual(new Set(Object.keys(values.files ?? {})));
};

/** The state of a thread on a LangGraph server. */
export const stateOf = async (url: string, looked: Looked): Promise<any> => {
  const { id } = looked.all("data").find(({ name }) => name === "session")!.value as { id: string };
  const response = await fetch(`${url}/threads/${id}/state`);
  return ((await response.json()) as any).values;
};
