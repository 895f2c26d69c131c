import type { ThreadRun } from "runcast/protocol";
import {
  addMessage,
  type AssistantMessage,
  type ChatMessage,
  type Conversation,
  createConversation,
  type UserMessage,
} from "./conversation.ts";

/**
 * Adds the runs of a thread that the conversation does not have. `runs` are oldest first. The ids of new messages
 * follow from their runs, so merging again, or in another tab, adds nothing.
 */
export const mergeThread = (
  conversation: Conversation | undefined,
  id: string,
  runs: readonly ThreadRun[],
): Conversation => {
  let merged = conversation ?? createConversation(id, runs[0]?.startedAt ?? 0);
  const answers = new Map<string, string>();
  for (const message of merged.messages) if (message.role === "assistant") answers.set(message.run, message.id);
  let last: string | undefined;
  for (const { run, agent, startedAt, endedAt = startedAt, previous, message } of runs) {
    const known = answers.get(run);
    if (known === undefined) {
      // Without `previous`, another client started the run. Then the order is all that is known.
      const parent = previous === null ? undefined : (answers.get(previous ?? "") ?? last);
      const content = message?.content ?? [];
      const asked = questionIn(merged.messages, parent, content) ?? `${run}-question`;
      const question: UserMessage = { id: asked, at: startedAt, role: "user", content, ...(parent && { parent }) };
      const answer: AssistantMessage = {
        id: `${run}-answer`,
        parent: asked,
        // An answer comes after its question.
        at: startedAt + 1,
        role: "assistant",
        run,
        settings: { agent },
        isRemote: true,
      };
      merged = addMessage(addMessage(merged, question), answer);
      merged = { ...merged, updatedAt: Math.max(merged.updatedAt, endedAt) };
      answers.set(run, answer.id);
    }
    last = answers.get(run);
  }
  return merged;
};

/** A retry answers the same message again. */
const questionIn = (
  messages: readonly ChatMessage[],
  parent: string | undefined,
  content: UserMessage["content"],
): string | undefined => {
  const text = textOf(content);
  return messages.find(
    (message) => message.role === "user" && message.parent === parent && textOf(message.content) === text,
  )?.id;
};

/** Each run has its own copy of a message's files, so their addresses differ. */
const textOf = (content: UserMessage["content"]): string =>
  JSON.stringify(content.map((part) => (part.type === "file" ? [part.name, part.mediaType, part.bytes] : part)));
