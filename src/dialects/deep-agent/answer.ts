import type { WholeAnswer } from "../../dialect.ts";
import type { Entry, EventOf } from "../../events.ts";
import { createAnswerEnd, incompleteText } from "../frames/incomplete.ts";
import { problemText } from "../frames/problem-text.ts";

/** `{"message": {"role", "content"}}` with the run's answer, or `{"detail"}` with an error status if the run failed. */
export const createAnswer = (): { take(entry: Entry): void; body(): WholeAnswer } => {
  const texts = new Map<string, string>();
  /** The text parts of the root agent's last step with text. */
  let latest: string[] = [];
  let isNewStep = true;
  let end: EventOf<"run-end"> | undefined;
  const answerEnd = createAnswerEnd();

  return {
    take({ event }) {
      answerEnd.take(event);
      if (event.type === "run-end") end = event;
      if (event.agent !== undefined) return;
      if (event.type === "step-start") isNewStep = true;
      else if (event.type === "text-start" && event.call === undefined) {
        texts.set(event.part, "");
        latest = isNewStep ? [event.part] : [...latest.filter((part) => part !== event.replaces), event.part];
        isNewStep = false;
      } else if (event.type === "text-delta" && texts.has(event.part))
        texts.set(event.part, texts.get(event.part) + event.delta);
    },
    body() {
      if (end && end.outcome !== "done")
        return json(500, { detail: problemText(end.error ?? { message: `The run was ${end.outcome}.` }) });
      const parts = end?.answer ?? latest;
      const text = parts.map((part) => texts.get(part) ?? "").join("");
      const { incomplete } = answerEnd;
      const content = incomplete ? `${text}\n\n${incompleteText(incomplete)}`.trim() : text;
      return json(200, { message: { role: "assistant", content } });
    },
  };
};

const json = (status: number, value: unknown): WholeAnswer => ({ status, body: JSON.stringify(value) });
