import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { Refusal } from "../../source.ts";
import { fieldsOf, parseJson } from "../../json.ts";

export interface Wire {
  /** For the SDK, which matches answers to requests. */
  readonly stream: Stream;
  /** Resolves when the agent's output ends; rejects when it breaks a limit. */
  readonly ended: Promise<void>;
}

export interface WireOptions {
  readonly maxMessageBytes: number;
  /**
   * Hears every message in the order of arrival, before the SDK does: the SDK dispatches requests, notifications and answers each in
   * its own time, so that the last words could come after the answer to the prompt. Returns a promise to be read on later.
   */
  readonly onMessage: (message: Readonly<Record<string, unknown>>) => Promise<void> | undefined;
}

/** Messages over the standard streams of a process: one JSON object a line. Lines that are none are skipped. */
export const wireOf = (input: Writable, output: Readable, { maxMessageBytes, onMessage }: WireOptions): Wire => {
  let controller: ReadableStreamDefaultController<AnyMessage>;
  const readable = new ReadableStream<AnyMessage>({ start: (given) => void (controller = given) });
  const writable = new WritableStream<AnyMessage>({
    write: (message) => void (input.writable && input.write(`${JSON.stringify(message)}\n`)),
  });
  // A process that is gone takes nothing more. That it is gone is heard elsewhere.
  input.on("error", () => {});

  const receive = async (line: string): Promise<void> => {
    const message = parsed(line);
    if (!message) return;
    await onMessage(message);
    // Notifications are heard above, and the SDK would check and report those that it does not know.
    if (message["id"] !== undefined) controller.enqueue(message as unknown as AnyMessage);
  };

  const read = async (): Promise<void> => {
    const decoder = new StringDecoder("utf8");
    let rest = "";
    try {
      for await (const chunk of output) {
        const lines = (rest + decoder.write(chunk as Buffer)).split("\n");
        rest = lines.pop()!;
        for (const line of lines) await receive(line);
        if (rest.length > maxMessageBytes) throw tooLarge(maxMessageBytes);
      }
      await receive(rest);
    } finally {
      try {
        controller.close();
      } catch {
        // The SDK has closed it.
      }
    }
  };
  const ended = read();
  ended.catch(() => {});
  return { stream: { readable, writable }, ended };
};

const parsed = (line: string): Readonly<Record<string, unknown>> | undefined => {
  const value = line.trimStart().startsWith("{") ? parseJson(line) : undefined;
  return value === undefined ? undefined : fieldsOf(value);
};

const tooLarge = (bytes: number): Refusal =>
  new Refusal("agent-invalid", `The agent sent a message of more than ${bytes} bytes.`, {
    status: 502,
    hint: "maxMessageBytes of acp() sets the limit",
  });
