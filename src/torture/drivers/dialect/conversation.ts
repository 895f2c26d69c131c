import type { Command, Decoder, Dialect } from "../../../dialect.ts";
import type { Conversation } from "../../driver.ts";
import { type StreamRequest, StreamViewer } from "../dialect.ts";
import { createTurns, type Turns } from "./turns.ts";

export interface ConversationOptions {
  readonly dialect: Dialect;
  /** The start of the dialect's paths, which `url` replaces. */
  readonly base: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly id: string;
  readonly agent: string | undefined;
  /** Wraps the dialect's decoder. */
  readonly decoding?: (decoder: Decoder) => Decoder;
}

/** What the clients of several protocols do alike: those whose client keeps the conversation and sends answers with it. */
export interface KeptConversation extends Pick<Conversation, "id" | "send" | "post"> {
  readonly turns: Turns;
  readonly run: { readonly thread: string; readonly agent?: string };
  readonly cancel: NonNullable<Conversation["cancel"]>;
  readonly answer: NonNullable<Conversation["answer"]>;
  written(command: Command): StreamRequest;
  decoder(from: "beginning" | "here"): Decoder;
}

export const keepConversation = (options: ConversationOptions): KeptConversation => {
  const { dialect, base, url, headers, id, agent, decoding = (decoder) => decoder } = options;
  const turns = createTurns(dialect, id, agent);
  const run = { thread: id, ...(agent !== undefined && { agent }) };
  const decoder = (from: "beginning" | "here") => decoding(turns.decoder(from));
  const written = (command: Command) => {
    const { path, method, headers: own, body } = dialect.write(command);
    const address = `${url}${path.slice(base.length)}`;
    return { url: address, method, headers: { ...own, ...headers }, ...(body !== undefined && { body }) };
  };
  return {
    id,
    turns,
    run,
    written,
    decoder,
    send: (message, line) => new StreamViewer(written(turns.start(message)), decoder("beginning"), line),
    cancel: async (line) => {
      const { url: address, ...init } = written({ do: "cancel", run });
      await (await line.fetch(address, init)).text();
    },
    answer: async (viewer, ask, allow, line) => {
      const before = viewer as StreamViewer;
      return new StreamViewer(written(turns.answering(ask, { allow })), decoder("here"), line, { before });
    },
    post: (body, line) => {
      const { url: address, ...init } = written(turns.start(""));
      return line.fetch(address, { ...init, body });
    },
  };
};
