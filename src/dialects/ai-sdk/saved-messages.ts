import type { Dialect } from "../../dialect.ts";
import { writeMessages } from "./ui-messages.ts";

/**
 * What a page gives `useChat` as its `messages`: the conversation with the answer of a run that has ended. Of an open
 * run, only what was asked, because the client resumes that run and would show its answer twice.
 */
export const createSavedMessages: NonNullable<Dialect["answer"]> = ({ request, answer }) => {
  let run = "";
  return {
    take({ event }) {
      if (event.type === "run-start") ({ run } = event);
    },
    body() {
      const messages = writeMessages([...(request?.messages ?? []), ...(answer ?? [])]);
      const last = messages.at(-1);
      // The id that the run's stream gives its message.
      if (answer && last?.role === "assistant") last.id = run;
      return { status: 200, body: JSON.stringify(messages) };
    },
  };
};
