import type { Dialect } from "../../dialect.ts";
import { createAnswer } from "../../state.ts";
import { writeMessages } from "./ui-messages.ts";

/**
 * What a page gives `useChat` as its `messages`: the conversation with the answer of a run that has ended. Of an open
 * run, only what was asked, because the client resumes that run and would show its answer twice.
 */
export const createSavedMessages: NonNullable<Dialect["answer"]> = ({ request }) => {
  const answer = createAnswer();
  const asked = request?.messages ?? [];
  let run = "";
  let isOver = false;
  return {
    take(entry) {
      if (entry.event.type === "run-start") ({ run } = entry.event);
      if (entry.event.type === "run-end") isOver = true;
      answer.take(entry);
    },
    body() {
      const messages = writeMessages(isOver ? [...asked, ...answer.messages()] : asked);
      const last = messages.at(-1);
      // The id that the run's stream gives its message.
      if (isOver && last?.role === "assistant") last.id = run;
      return { status: 200, body: JSON.stringify(messages) };
    },
  };
};
