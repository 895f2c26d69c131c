import type { WholeAnswer } from "../../dialect.ts";
import type { Entry, EventOf, Finish, Usage } from "../../events.ts";
import { whole } from "./whole-characters.ts";
import { chatUsage } from "../openai/chat-usage.ts";
import { createAnswerEnd, incompleteText } from "../frames/incomplete.ts";
import { openaiError } from "../openai/errors.ts";
import { finishReason } from "../openai/finish-reason.ts";

/** A response without streaming, for both kinds of connections: one reads `choices`, the other `output`. */
export const completion = (
  { id, model, created = 0 }: { readonly id: string; readonly model: string; readonly created?: number },
  text: string,
  usage: Usage = {},
  finish?: Finish,
) => ({
  id: `chatcmpl-${id}`,
  object: "chat.completion",
  created,
  model,
  choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: finishReason(finish) }],
  output: [
    {
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      status: finish === undefined ? "completed" : "incomplete",
      content: [{ type: "output_text", text }],
    },
  ],
  usage: chatUsage(usage),
});

/** The response of a run without a stream: the root agent's text, without that of tools and sub-agents. */
export const createAnswer = (): { take(entry: Entry): void; body(): WholeAnswer } => {
  const texts = new Map<string, string>();
  let about = { id: "", model: "", created: 0 };
  let end: EventOf<"run-end"> | undefined;
  const answerEnd = createAnswerEnd();

  return {
    take({ at, event }) {
      answerEnd.take(event);
      if (event.type === "run-start") about = { id: event.run, model: event.name, created: Math.floor(at / 1000) };
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
        return { status: 500, body: JSON.stringify(whole({ error: openaiError({ ...problem, status: 500 }) })) };
      }
      const content = [...texts.values()].filter((text) => text.trim() !== "").join("\n\n");
      const { incomplete } = answerEnd;
      const text = incomplete ? `${content}\n\n⚠️ ${incompleteText(incomplete)}`.trim() : content;
      return { status: 200, body: JSON.stringify(whole(completion(about, text, end?.usage, incomplete?.finish))) };
    },
  };
};
