import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { Refusal } from "../../source.ts";
import { fieldsOf, parseJson } from "../../json.ts";

export interface Wire {
  /** For the SDK, which matches responses to requests. */
  readonly stream: Stream;
  /** Resolves when the agent's output ends. Rejects when it exceeds a limit. */
  readonly ended: Promise<void>;
}

export interface WireOptions {
  readonly maxMessageBytes: number;
  /**
   * Called with every message in order of arrival, before the SDK gets it. The SDK dispatches requests, notifications
   * and responses independently, so the last text could come after the response to the prompt. Reading waits for the
   * returned promise.
   */
  readonly onMessage: (message: Readonly<Record<string, unknown>>) => Promise<void> | undefined;
}

/** Messages over the standard streams of a process: one JSON object per line. Other lines are skipped. */
export const wireOf = (input: Writable, output: Readable, { maxMessageBytes, onMessage }: WireOptions): Wire => {
  let controller: ReadableStreamDefaultController<AnyMessage>;
  const readable = new ReadableStream<AnyMessage>({ start: (given) => void (controller = given) });
  const writable = new WritableStream<AnyMessage>({
    write: (message) => void (input.writable && input.write(`${JSON.stringify(message)}\n`)),
  });
  // A process that is gone accepts no input. Its exit is reported elsewhere.
  input.on("error", () => {});

  const receive = async (line: string): Promise<void> => {
    const message = parsed(line);
    if (!message) return;
    await onMessage(message);
    // Notifications are handled above. The SDK would validate them and report unknown ones.
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
        // The SDK has already closed it.
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
    hint: "the maxMessageBytes option of acp() sets this limit",
  });
