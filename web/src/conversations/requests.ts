import type { StartRequest } from "runcast/client";
import type { Entry, Message } from "runcast/events";
import { createAnswer } from "runcast/state";
import { type AssistantMessage, type Conversation, endRun, messagesTo, requestMessages } from "./conversation.ts";

export interface RequestsOptions {
  readonly entries: (run: string) => Promise<readonly Entry[]>;
  readonly secrets: (() => Readonly<Record<string, string>>) | undefined;
}

/** What is asked of the server for the answers of a conversation. */
export interface Requests {
  /** For a new answer: with all that was said up to its question, also in runs whose end nobody has seen. */
  make(conversation: Conversation, answer: AssistantMessage): Promise<void>;
  /**
   * For an answer of which nothing is kept: the one that was made here, or the same again if another tab made it a moment ago. The
   * id of the run is the same, so that nothing is started twice.
   */
  get(conversation: Conversation | null | undefined, answer: AssistantMessage): StartRequest | undefined;
  /** Its run has ended. */
  forget(run: string): void;
}

/** A run of which nothing was kept is asked for again only for so long: later nobody would expect it to start. */
const RESTART_MS = 60_000;

export const createRequests = ({ entries, secrets }: RequestsOptions): Requests => {
  const made = new Map<string, StartRequest>();

  /** What was said in runs whose end nobody has seen: what is kept of them. */
  const complete = async (conversation: Conversation, message: string): Promise<Message[]> => {
    const missing = messagesTo(conversation, message).flatMap((known) =>
      known.role === "assistant" && !known.output ? [known.run] : [],
    );
    let completed = conversation;
    for (const run of missing) {
      const answer = createAnswer();
      for (const entry of await entries(run)) answer.take(entry);
      completed = endRun(completed, run, { outcome: "interrupted", output: answer.messages(), at: 0 });
    }
    return requestMessages(completed, message);
  };
  const requestOf = ({ id }: Conversation, { run, settings }: AssistantMessage, messages: Message[]): StartRequest => ({
    ...settings,
    run,
    thread: id,
    messages,
    ...(secrets && { secrets: secrets() }),
  });

  return {
    make: async (conversation, answer) => {
      const messages = await complete(conversation, answer.parent ?? "");
      made.set(answer.run, requestOf(conversation, answer, messages));
    },
    get: (conversation, answer) => {
      const own = made.get(answer.run);
      if (own || !conversation || answer.parent === undefined || answer.at < Date.now() - RESTART_MS) return own;
      return requestOf(conversation, answer, requestMessages(conversation, answer.parent));
    },
    forget: (run) => void made.delete(run),
  };
};
