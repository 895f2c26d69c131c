import type { Client, StartRequest } from "runcast/client";
import type { Entry, Message } from "runcast/events";
import { createAnswer } from "runcast/state";
import {
  type AssistantMessage,
  type Conversation,
  endRun,
  messagesTo,
  requestMessages,
  type RunSettings,
} from "./conversation.ts";
import { withWholeResults } from "./whole-results.ts";

export interface RequestsOptions {
  readonly client: Client;
  readonly entries: (run: string) => Promise<readonly Entry[]>;
  readonly secrets: ((settings: RunSettings) => Readonly<Record<string, string>>) | undefined;
}

/** The start requests for the answers of a conversation. */
export interface Requests {
  /**
   * Prepares the request of a new answer: the conversation up to its question, including runs whose end was not seen.
   */
  make(conversation: Conversation, answer: AssistantMessage): Promise<void>;
  /**
   * The request of an answer without stored entries: the one prepared here, or an equal one if another tab prepared it
   * a moment ago. The run id is the same, so no run is started twice.
   */
  get(conversation: Conversation | null | undefined, answer: AssistantMessage): StartRequest | undefined;
  /** Drops the request once its run has ended. */
  forget(run: string): void;
}

/** How long a run without stored entries may be requested again. Later, the user would not expect it to start. */
const RESTART_MS = 60_000;

export const createRequests = ({ client, entries, secrets }: RequestsOptions): Requests => {
  const made = new Map<string, StartRequest>();

  /** Adds the output of runs whose end was not seen, as far as their entries are stored. */
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
    return requestMessages(await withKept(completed, message), message);
  };
  /** An answer that continues a failed one gets its results as the model got them. */
  const withKept = async (conversation: Conversation, message: string): Promise<Conversation> => {
    const trail = messagesTo(conversation, message);
    let kept = conversation;
    for (const [index, failed] of trail.entries()) {
      const next = trail[index + 1];
      if (failed.role !== "assistant" || next?.role !== "user" || next.keeps === undefined) continue;
      const output = await withWholeResults(client, failed.run, failed.output ?? []);
      const messages = kept.messages.map((known) => (known.id === failed.id ? { ...failed, output } : known));
      kept = { ...kept, messages };
    }
    return kept;
  };
  const requestOf = (conversation: Conversation, answer: AssistantMessage, messages: Message[]): StartRequest => ({
    ...answer.settings,
    run: answer.run,
    thread: conversation.id,
    previous: previousRun(conversation, answer),
    messages,
    ...(secrets && { secrets: secrets(answer.settings) }),
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

/** The run before this answer in its branch. Null for the first. */
const previousRun = (conversation: Conversation, { parent }: AssistantMessage): string | null =>
  messagesTo(conversation, parent).findLast((message) => message.role === "assistant")?.run ?? null;

/** How many of a run's messages belong to its finished steps. */
export const countFinished = (entries: readonly Entry[]): number => {
  const answer = createAnswer();
  for (const entry of entries) answer.take(entry);
  return answer.finished().length;
};
