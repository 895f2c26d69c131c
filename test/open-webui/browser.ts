import { browserItems } from "./browser-items.ts";
import type { Generation } from "./generations.ts";
import type { OutputItems, ResponseEvent } from "./output-items.ts";
import type { Emitted, SavedMessage } from "./saved-message.ts";

/** What the page knows about a message, and other events it received. */
export interface BrowserMessage {
  readonly content: string;
  readonly output: OutputItems;
  /** The items that the page still shows since there is a hole in its list. */
  readonly stuck?: OutputItems | undefined;
  readonly statusHistory: readonly object[];
  readonly sources: readonly object[];
  readonly files: readonly object[];
  readonly embeds: readonly string[];
  readonly followUps: readonly string[];
  readonly tasks: readonly object[];
  readonly toasts: readonly object[];
  readonly dialogs: readonly Emitted[];
  readonly title: string | undefined;
  readonly error: unknown;
  readonly usage: object | undefined;
  readonly done: boolean;
  /** Code that the page has executed. */
  readonly executed: readonly string[];
  /** Event types that it does not know. */
  readonly unknown: readonly string[];
}

/** The page after a (re)load that found `saved`. */
export const loadedMessage = (saved: SavedMessage = {}): BrowserMessage => ({
  content: saved.content ?? "",
  output: saved.output ?? [],
  statusHistory: saved.statusHistory ?? [],
  sources: saved.sources ?? [],
  files: saved.files ?? [],
  embeds: saved.embeds ?? [],
  followUps: [],
  tasks: [],
  toasts: [],
  dialogs: [],
  title: undefined,
  error: saved.error?.content,
  usage: saved.usage,
  done: saved.done ?? false,
  executed: [],
  unknown: [],
});

export const browserMessage = (
  message: BrowserMessage,
  { type, data = {} }: Emitted,
  generation: Generation,
): BrowserMessage => {
  const fields = data as Record<string, never>;
  switch (type) {
    case "chat:completion":
      return completion(message, fields);
    case "response:completion":
      return takeResponse(message, data as ResponseEvent, generation);
    case "chat:tasks:cancel":
      return { ...message, done: true, output: fields["output"] ?? message.output };
    case "status":
      return { ...message, statusHistory: [...message.statusHistory, fields] };
    case "message":
    case "chat:message:delta":
      return { ...message, content: message.content + fields["content"] };
    case "replace":
    case "chat:message":
      return { ...message, content: fields["content"]! };
    case "files":
    case "chat:message:files":
      return { ...message, files: fields["files"]! };
    case "embeds":
    case "chat:message:embeds":
      return { ...message, embeds: fields["embeds"]! };
    case "chat:message:tasks":
      return { ...message, tasks: fields["tasks"]! };
    case "chat:message:error":
      return { ...message, error: (fields["error"] as { content?: unknown } | undefined)?.content };
    case "chat:message:follow_ups":
      return { ...message, followUps: fields["follow_ups"]! };
    case "chat:title":
      return { ...message, title: data as string };
    case "source":
    case "citation":
      return { ...message, sources: [...message.sources, fields] };
    case "notification":
      return { ...message, toasts: [...message.toasts, fields] };
    case "confirmation":
    case "input":
      return { ...message, dialogs: [...message.dialogs, { type, data }] };
    case "execute":
      return { ...message, executed: [...message.executed, fields["code"]!] };
    case "chat:tags":
    case "chat:outlet":
      return message;
    default:
      return { ...message, unknown: [...message.unknown, type] };
  }
};

const takeResponse = (message: BrowserMessage, event: ResponseEvent, generation: Generation): BrowserMessage => {
  const output = browserItems(message.output, event, generation);
  if (event.type === "response.completed") return { ...message, output, stuck: undefined };
  const isHole =
    event.type === "response.output_item.added" &&
    output.length > message.output.length &&
    (event.output_index ?? 0) > message.output.length;
  const stuck = message.stuck ?? (generation.leavesHoles && isHole ? output : undefined);
  return { ...message, output, stuck };
};

interface Completion {
  readonly output?: OutputItems;
  readonly content?: string;
  readonly choices?: readonly { delta?: { content?: string } }[];
  readonly error?: unknown;
  readonly usage?: object;
  readonly done?: boolean;
}

const completion = (message: BrowserMessage, data: Completion): BrowserMessage => {
  const { output, content, choices, error, usage, done } = data;
  return {
    ...message,
    ...(output && { output, stuck: undefined }),
    ...(!output && choices && { content: message.content + (choices[0]?.delta?.content ?? "") }),
    ...(!output && content && { content }),
    ...(error !== undefined && { error }),
    ...(usage && { usage }),
    ...(done && { done }),
  };
};
