/** A tool call as the page's card shows it. */
export interface Card {
  readonly id: string;
  readonly tool_name: string;
  readonly arguments: Record<string, unknown>;
  status: string;
  result?: unknown;
  is_error?: boolean;
  latency_ms?: number;
}

export interface Shown {
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly thinking?: string;
  readonly usage?: unknown;
  readonly cards?: readonly Card[];
  /** An error message, with or without a retry button. */
  readonly error?: { readonly code: string; readonly retry: boolean };
}

type Data = Record<string, any>;

/**
 * A page that works like Forge's: it stores the conversation, posts all of it with each message, parses the stream by
 * hand (event and data lines, CRLF or LF, the event's state kept between chunks, a later data line replaces an earlier
 * one), resets a card at each tool_call, and stops at `complete` and at any `error`.
 */
export const forgePage = (first = "") => {
  let base = first;
  const messages: Shown[] = [];
  const seen: { event: string; data: Data }[] = [];
  let cards = new Map<string, Card>();
  let response = "";
  let thinking = "";
  let pings = 0;
  let isStreaming = false;
  let stop: AbortController | undefined;

  const finish = (message: Shown): true => {
    messages.push(message);
    isStreaming = false;
    return true;
  };

  /** Returns whether the stream is over. */
  const handle = (event: string, text: string): boolean => {
    let data: Data;
    try {
      data = JSON.parse(text);
    } catch {
      return false;
    }
    seen.push({ event, data });
    switch (event) {
      case "token":
        response = data["cumulative"];
        return false;
      case "thinking":
        thinking = data["cumulative"];
        return false;
      case "tool_call": {
        const { id, tool_name, arguments: input, status } = data;
        cards.set(id, { id, tool_name, arguments: input, status });
        return false;
      }
      case "tool_result": {
        const card = cards.get(data["tool_call_id"]);
        const { result, is_error, latency_ms } = data;
        if (card) Object.assign(card, { status: "complete", result, is_error, latency_ms });
        return false;
      }
      case "ping":
        pings++;
        return false;
      case "complete":
        return finish({
          role: "assistant",
          content: data["response"],
          thinking,
          usage: data["usage"],
          cards: [...cards.values()],
        });
      case "error": {
        const { code, message, retryable } = data;
        return finish({ role: "assistant", content: message, error: { code, retry: retryable } });
      }
      default:
        return false;
    }
  };

  let buffer = "";
  let event = "";
  let data = "";
  const read = (text: string): boolean => {
    buffer += text;
    const lines = buffer.split(/\r?\n/);
    buffer = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("event:")) event = line.slice(6).trim();
      else if (line.startsWith("data:")) data = line.slice(5).trim();
      else if (line === "" && event && data) {
        const isOver = handle(event, data);
        event = data = "";
        if (isOver) return true;
      }
    }
    return false;
  };

  const begin = (): void => {
    isStreaming = true;
    cards = new Map();
    response = thinking = buffer = event = data = "";
  };

  const send = async (content: string, more: object = {}, headers: Record<string, string> = {}): Promise<void> => {
    const history = messages.map(({ role, content: words }) => ({ role, content: words }));
    messages.push({ role: "user", content });
    begin();
    stop = new AbortController();
    const body = {
      user_message: content,
      messages: history,
      system_prompt: null,
      model: "anthropic/claude-sonnet-4",
      provider: "openrouter",
      enable_tools: true,
      use_toon_format: false,
      use_tool_rag_mode: false,
      ...more,
    };
    try {
      const answer = await fetch(`${base}/chat/stream`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "text/event-stream", ...headers },
        body: JSON.stringify(body),
        signal: stop.signal,
      });
      if (!answer.ok) throw new Error(`HTTP error: ${answer.status} ${answer.statusText}`);
      const decoder = new TextDecoder();
      for await (const bytes of answer.body!) if (read(decoder.decode(bytes, { stream: true }))) break;
      stop.abort();
    } catch (error) {
      isStreaming = false;
      if ((error as Error).name === "AbortError") return;
      const { message } = error as Error;
      finish({ role: "assistant", content: message, error: { code: "CONNECTION_ERROR", retry: true } });
    }
  };

  return {
    messages,
    /** Every event so far, for inspection. */
    seen,
    send,
    /** Sends the next messages to another server. */
    useServer(url: string) {
      base = url;
    },
    /** Without HTTP: reads the text of a stream, in pieces. */
    show(pieces: Iterable<string>): Shown | undefined {
      begin();
      for (const piece of pieces) if (read(piece)) return messages.at(-1);
      return undefined;
    },
    /** Discards the partial answer. */
    stop() {
      stop?.abort();
      isStreaming = false;
      response = thinking = "";
      cards = new Map();
    },
    /** Sends the last message again, without the messages after it. */
    async retry() {
      const index = messages.findLastIndex(({ role }) => role === "user");
      const [asked] = messages.splice(index);
      if (asked) await send(asked.content);
    },
    get live() {
      return { response, thinking, cards: [...cards.values()], pings, isStreaming };
    },
  };
};

export const iconOf = ({ status, is_error: isError }: Card): string =>
  ({ pending: "🕐", executing: "⚡", complete: isError ? "✗" : "✓", error: "✗" })[status] ?? "?";
