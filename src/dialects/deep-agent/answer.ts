import type { WholeAnswer } from "../../dialect.ts";
import type { Entry, EventOf } from "../../events.ts";
import { createAnswerEnd, incompleteText } from "../frames/incomplete.ts";

/** `{"message"}`, the text of the run's answer; `{"detail"}` with a status that says failure, if the run failed. */
export const createAnswer = (): { take(entry: Entry): void; body(): WholeAnswer } => {
  const texts = new Map<string, string>();
  /** The text parts of the last root step that had any. */
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
        return json(500, { detail: end.error?.message ?? `The run was ${end.outcome}.` });
      const parts = end?.answer ?? latest;
      const message = parts.map((part) => texts.get(part) ?? "").join("");
      const { incomplete } = answerEnd;
      return json(200, { message: incomplete ? `${message}\n\n${incompleteText(incomplete)}`.trim() : message });
    },
  };
};

const json = (status: number, value: unknown): WholeAnswer => ({ status, body: JSON.stringify(value) });
