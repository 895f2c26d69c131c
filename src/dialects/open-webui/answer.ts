import { chatUsage, openaiError, type WholeAnswer } from "../../dialect.ts";
import type { Entry, EventOf } from "../../events.ts";

/** The answer of a run that nobody watches: the root agent's words, without its tools' and sub-agents'. */
export const createAnswer = (): { take(entry: Entry): void; body(): WholeAnswer } => {
  const texts = new Map<string, string>();
  let about = { id: "", object: "chat.completion", created: 0, model: "" };
  let end: EventOf<"run-end"> | undefined;

  return {
    take({ at, event }) {
      if (event.type === "run-start")
        about = { ...about, id: `chatcmpl-${event.run}`, created: Math.floor(at / 1000), model: event.name };
      else if (event.type === "text-start" && event.agent === undefined && event.call === undefined) {
        if (event.replaces !== undefined) texts.delete(event.replaces);
        texts.set(event.part, "");
      } else if (event.type === "text-delta" && texts.has(event.part))
        texts.set(event.part, texts.get(event.part)! + event.delta);
      else if (event.type === "run-end") end = event;
    },
    body() {
      if (end && end.outcome !== "done") {
        const problem = end.error ?? { code: end.outcome, message: `the run was ${end.outcome}` };
        return { status: 500, body: JSON.stringify({ error: openaiError({ ...problem, status: 500 }) }) };
      }
      const content = [...texts.values()].filter((text) => text.trim() !== "").join("\n\n");
      const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
      const usage = chatUsage(end?.usage);
      return { status: 200, body: JSON.stringify({ ...about, choices, ...(usage && { usage }) }) };
    },
  };
};
