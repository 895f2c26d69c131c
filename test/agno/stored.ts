import { expect } from "vitest";
import { splitProviderId } from "../../src/ids.ts";
import type { looking } from "../frameworks/play.ts";

type Looked = ReturnType<typeof looking>;

/** Compares a run with what AgentOS has stored: text, thoughts, calls, results, times and tokens, including those of members. */
export const expectStored = async (url: string, looked: Looked): Promise<void> => {
  const session = looked.all("data").find(({ name }) => name === "session")!;
  const { run } = (session.meta as { agno: { run: string } }).agno;
  const { id } = session.value as { id: string };
  const response = await fetch(`${url}/runs/${run}?session_id=${encodeURIComponent(id)}`);
  expect(response.status).toBe(200);
  const stored = (await response.json()) as any;
  expect(STATUS[stored.status as string]).toBe(looked.end.outcome);
  expectRun(stored, looked, undefined);
  for (const member of stored.member_responses ?? []) {
    const start = looked.all("agent-start").find(({ meta }) => (meta as any).agno.run === member.run_id);
    expect(start, `member ${member.run_id}`).toBeDefined();
    expectRun(member, looked, start!.agent);
  }
};

const STATUS: Readonly<Record<string, string>> = { COMPLETED: "done", ERROR: "error", CANCELLED: "cancelled" };

const expectRun = (stored: any, looked: Looked, agent: string | undefined): void => {
  // After a pause, only the later text is stored.
  if (stored.status === "COMPLETED") expect(looked.text(agent).endsWith(stored.content)).toBe(true);
  if (stored.reasoning_content) expect(looked.thinking(agent)).toContain(stored.reasoning_content);
  for (const tool of stored.tools ?? []) {
    const start = looked
      .all("tool-start")
      .find((event) => event.agent === agent && splitProviderId(event.meta).id === tool.tool_call_id);
    const call = looked.calls.find((one) => one.id === start?.call);
    expect(call?.name).toBe(tool.tool_name);
    if (tool.confirmed === false) expect(call?.state).toBe("denied");
    else if (stored.status === "COMPLETED") {
      expect(call?.state).toBe(tool.tool_call_error ? "error" : "ok");
      expect(call?.input).toEqual(tool.tool_args);
      if (call?.ms !== undefined) expect(call.ms).toBe(Math.round(tool.metrics.duration * 1000));
      // A paused member's later answer is embedded in other text there.
      const [content] = call!.content as unknown as { text: string }[];
      if (/human-in-the-loop/.test(tool.result)) expect(tool.result).toContain(content!.text);
      else expect(content!.text).toBe(tool.result);
    }
  }
  const input = looked
    .all("step-end")
    .filter((event) => event.agent === agent)
    .reduce((sum, { usage }) => sum + (usage?.input ?? 0), 0);
  if (stored.status === "COMPLETED") expect(input).toBe(stored.metrics.input_tokens);
};
