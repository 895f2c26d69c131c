import type { StartRequest } from "runcast/client";
import type { Message, Part, RunOutcome, Usage } from "runcast/events";
import { oneLine, totalUsage } from "runcast/view";

/** The settings of a run, besides its messages. Secrets are never stored. */
export type RunSettings = Omit<StartRequest, "messages" | "message" | "secrets" | "run" | "thread">;

interface ChatMessageBase {
  readonly id: string;
  /** The message it answers or follows. Absent for the first. */
  readonly parent?: string;
  readonly at: number;
}

export interface UserMessage extends ChatMessageBase {
  readonly role: "user";
  /** Text and files, or the results of calls that this browser ran. */
  readonly content: readonly Part[];
  /** The HTML documents that are results, by call. */
  readonly pages?: Readonly<Record<string, string>>;
  /** How many messages of the failed answer before it are sent: those of its finished steps. Absent for all. */
  readonly keeps?: number;
}

export interface AssistantMessage extends ChatMessageBase {
  readonly role: "assistant";
  readonly run: string;
  readonly settings: RunSettings;
  /** Absent until the end of the run was seen. */
  readonly outcome?: RunOutcome;
  /** What the run used. Absent until it ends. */
  readonly usage?: Usage;
  /** The messages that the run added to the conversation. The next request sends them. Absent until the run ends. */
  readonly output?: readonly Message[];
  /** Another browser started the run, so its entries may only be on the server. */
  readonly isRemote?: boolean;
}

export type ChatMessage = UserMessage | AssistantMessage;

/** Whether it is an answer whose entries may not all be in this browser. */
export const isOnServer = (message: ChatMessage): message is AssistantMessage =>
  message.role === "assistant" && message.isRemote === true && message.output === undefined;

/** The facts about a conversation that lists need. */
export interface ConversationFact {
  readonly id: string;
  readonly title: string;
  /** Whether the user set the title. Runs then no longer change it. */
  readonly named: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When it was deleted. It is removed permanently later. */
  readonly deletedAt?: number;
  /** The message it was forked from. */
  readonly origin?: { readonly conversation: string; readonly message: string };
  /** The selected child of each message ("" is the start). Default: the newest. */
  readonly chosen: Readonly<Record<string, string>>;
  /** It is only on the server: this browser has not opened it. */
  readonly isRemote?: boolean;
}

/** A tree of messages. Nothing is ever removed from it: edits and reruns are branches. */
export interface Conversation extends ConversationFact {
  /** In creation order. */
  readonly messages: readonly ChatMessage[];
}

const START = "";
export const TITLE_LENGTH = 60;

export const createConversation = (id: string, at: number): Conversation => ({
  id,
  title: "",
  named: false,
  createdAt: at,
  updatedAt: at,
  chosen: {},
  messages: [],
});

/** Adds a message after its parent and selects it. Has no effect if the message already exists. */
export const addMessage = (conversation: Conversation, message: ChatMessage): Conversation => {
  const { messages, chosen } = conversation;
  if (messages.some(({ id }) => id === message.id)) return conversation;
  if (message.parent !== undefined && !messages.some(({ id }) => id === message.parent))
    throw new Error(`there is no message ${message.parent} in conversation ${conversation.id}`);
  const added = {
    ...conversation,
    messages: [...messages, message],
    chosen: { ...chosen, [message.parent ?? START]: message.id },
    updatedAt: Math.max(conversation.updatedAt, message.at),
  };
  return conversation.title === "" && message.role === "user" ? { ...added, title: titleOf(message) } : added;
};

/** The selected messages, from first to last. */
export const shownMessages = (conversation: Conversation): readonly ChatMessage[] => {
  const children = childrenOf(conversation);
  const shown: ChatMessage[] = [];
  for (let parent = START; ;) {
    const candidates = children.get(parent);
    const next = candidates?.find(({ id }) => id === conversation.chosen[parent]) ?? candidates?.at(-1);
    if (!next) return shown;
    shown.push(next);
    parent = next.id;
  }
};

/** The messages from the first to this one. */
export const messagesTo = (conversation: Conversation, message: string | undefined): readonly ChatMessage[] => {
  const byId = new Map(conversation.messages.map((candidate) => [candidate.id, candidate]));
  const trail: ChatMessage[] = [];
  for (let next = message; next !== undefined;) {
    const found = byId.get(next);
    if (!found) break;
    trail.push(found);
    next = found.parent;
  }
  return trail.reverse();
};

/** Returns a function that lists the siblings of a message, including itself, oldest first. */
export const branchesOf = (conversation: Conversation): ((message: ChatMessage) => readonly string[]) => {
  const children = childrenOf(conversation);
  return ({ parent }) => (children.get(parent ?? START) ?? []).map(({ id }) => id);
};

/** Selects this message and its ancestors. */
export const chooseMessage = (conversation: Conversation, message: string): Conversation => {
  const chosen = { ...conversation.chosen };
  for (const { id, parent } of messagesTo(conversation, message)) chosen[parent ?? START] = id;
  return { ...conversation, chosen };
};

/** A new conversation with the same messages up to the given one. The runs are shared. */
export const forkConversation = (
  conversation: Conversation,
  message: string | undefined,
  made: { readonly id: string; readonly at: number },
): Conversation => ({
  ...createConversation(made.id, made.at),
  title: conversation.title,
  named: conversation.named,
  ...(message !== undefined && { origin: { conversation: conversation.id, message } }),
  messages: messagesTo(conversation, message),
});

export const renameConversation = (conversation: Conversation, title: string): Conversation => ({
  ...conversation,
  title: title.trim() || conversation.title,
  named: title.trim() !== "" || conversation.named,
});

/** Records the end of a run in every message that references it. */
export const endRun = (
  conversation: Conversation,
  run: string,
  end: {
    readonly outcome: RunOutcome;
    readonly output: readonly Message[];
    readonly usage?: Usage;
    readonly title?: string;
    readonly at: number;
  },
): Conversation => {
  const isOpen = (message: ChatMessage): message is AssistantMessage =>
    message.role === "assistant" && message.run === run && message.output === undefined;
  const ended = conversation.messages.findLast(isOpen);
  if (!ended) return conversation;
  // Runs of other browsers are loaded in any order. The last one names the conversation.
  const isNaming = !ended.isRemote || ended === conversation.messages.at(-1);
  return {
    ...conversation,
    ...(end.title && isNaming && !conversation.named && { title: oneLine(end.title, TITLE_LENGTH * 2) }),
    updatedAt: Math.max(conversation.updatedAt, end.at),
    messages: conversation.messages.map((message) =>
      isOpen(message)
        ? { ...message, outcome: end.outcome, output: end.output, ...(end.usage && { usage: end.usage }) }
        : message,
    ),
  };
};

/** What all runs used together, including those of other branches. Empty if fewer than two runs reported it. */
export const conversationUsage = ({ messages }: Conversation): string =>
  totalUsage(messages.flatMap((message) => (message.role === "assistant" && message.usage ? [message.usage] : [])));

/** The messages of a request that continues after `message`: the whole conversation up to it. */
export const requestMessages = (conversation: Conversation, message: string): Message[] =>
  messagesTo(conversation, message).flatMap((known, index, trail): readonly Message[] => {
    if (known.role === "user")
      return [{ role: hasResults(known.content) ? "tool" : "user", content: [...known.content] }];
    const next = trail[index + 1];
    return (known.output ?? []).slice(0, next?.role === "user" ? next.keeps : undefined);
  });

export const hasResults = (content: readonly Part[]): boolean => content.some(({ type }) => type === "result");

/** The text of a message, for titles and search. */
export const textOf = (message: ChatMessage): string =>
  (message.role === "user" ? message.content : (message.output ?? []).flatMap(({ content }) => content))
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n");

const titleOf = (message: UserMessage): string =>
  oneLine(textOf(message) || message.content.find((part) => part.type === "file")?.name || "", TITLE_LENGTH);

const childrenOf = ({ messages }: Conversation): Map<string, ChatMessage[]> => {
  const children = new Map<string, ChatMessage[]>();
  for (const message of messages) {
    const siblings = children.get(message.parent ?? START);
    if (siblings) siblings.push(message);
    else children.set(message.parent ?? START, [message]);
  }
  return children;
};
