import * as ai7 from "ai";
import * as ai5 from "ai5";
import * as ai6 from "ai6";

/** A message part, as any version of the SDK stores it. */
export interface UIPart {
  readonly type: string;
  readonly text?: string;
  readonly toolName?: string;
  readonly toolCallId?: string;
  readonly title?: string;
  readonly state?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly errorText?: string;
  readonly approval?: { readonly id: string; readonly approved?: boolean; readonly reason?: string };
  readonly id?: string;
  readonly data?: unknown;
  readonly url?: string;
}

export interface UIMessage {
  id: string;
  role: "user" | "assistant";
  parts: UIPart[];
}

interface Transport {
  sendMessages(options: object): Promise<ReadableStream<unknown>>;
}

interface ChatState {
  status: string;
  error: Error | undefined;
  messages: UIMessage[];
  pushMessage(message: UIMessage): void;
  popMessage(): void;
  replaceMessage(index: number, message: UIMessage): void;
  snapshot<Value>(thing: Value): Value;
}

interface ChatOptions {
  id: string;
  transport: Transport;
  state: ChatState;
  onData?: (part: UIPart) => void;
  onToolCall?: (call: { toolCall: { toolName: string; toolCallId: string; dynamic?: boolean } }) => void;
  sendAutomaticallyWhen?: (options: { messages: UIMessage[] }) => boolean;
}

/** The members used here, which all versions share. Their types differ in ways that do not affect the wire format. */
export interface Sdk {
  readonly DefaultChatTransport: new (options: object) => Transport;
  readonly AbstractChat: new (options: ChatOptions) => Chat;
  readUIMessageStream(options: {
    message?: UIMessage;
    stream: ReadableStream<unknown>;
    terminateOnError: true;
  }): AsyncIterable<UIMessage>;
  readonly lastAssistantMessageIsCompleteWithToolCalls: (options: { messages: UIMessage[] }) => boolean;
  /** Since version 6. */
  readonly lastAssistantMessageIsCompleteWithApprovalResponses?: (options: { messages: UIMessage[] }) => boolean;
}

export interface Chat {
  readonly status: string;
  readonly error: Error | undefined;
  readonly messages: UIMessage[];
  sendMessage(message?: { text: string }, options?: { body?: object }): Promise<void>;
  resumeStream(): Promise<void>;
  stop(): Promise<void>;
  addToolApprovalResponse(answer: { id: string; approved: boolean; reason?: string }): Promise<void>;
  addToolOutput(output: { tool: string; toolCallId: string; output: unknown }): Promise<void>;
}

export const sdks = {
  5: ai5 as unknown as Sdk,
  6: ai6 as unknown as Sdk,
  7: ai7 as unknown as Sdk,
};
export type Version = keyof typeof sdks;
export const VERSIONS: readonly Version[] = [5, 6, 7];

/** Reads a response with the SDK's own reader, as a continuation of `message`. Rejects at the first chunk that it does not accept. */
export const readResponse = async (
  version: Version,
  pieces: Iterable<Uint8Array>,
  message?: UIMessage,
): Promise<UIMessage | undefined> => {
  const { DefaultChatTransport, readUIMessageStream } = sdks[version];
  const left = pieces[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value, done } = left.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  const transport = new DefaultChatTransport({ fetch: async () => new Response(body) });
  const stream = await transport.sendMessages({ chatId: "c", messages: [], trigger: "submit-message" });
  let last = message;
  const options = { stream, terminateOnError: true as const, ...(message && { message: structuredClone(message) }) };
  for await (const one of readUIMessageStream(options)) last = structuredClone(one);
  return last;
};

/** A chat as in a page, without the page. */
export const openChat = (
  version: Version,
  options: { readonly api: string; readonly id: string; readonly messages?: UIMessage[] } & Omit<
    Partial<ChatOptions>,
    "transport" | "state"
  >,
): Chat => {
  const { api, messages = [], ...rest } = options;
  const { AbstractChat, DefaultChatTransport } = sdks[version];
  const state: ChatState = {
    status: "ready",
    error: undefined,
    messages,
    pushMessage: (message) => void (state.messages = [...state.messages, message]),
    popMessage: () => void (state.messages = state.messages.slice(0, -1)),
    replaceMessage: (index, message) => void (state.messages = state.messages.with(index, structuredClone(message))),
    snapshot: (thing) => structuredClone(thing),
  };
  return new (class extends AbstractChat {})({ ...rest, transport: new DefaultChatTransport({ api }), state });
};
