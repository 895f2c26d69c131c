import * as client0 from "ag-ui-client-0";
import * as client1 from "ag-ui-client-1";
import { expect, vi } from "vitest";

/** A message as a client stores it. */
export interface KeptMessage {
  readonly id: string;
  readonly role: string;
  readonly content?: unknown;
  readonly toolCalls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[];
  readonly toolCallId?: string;
  readonly activityType?: string;
  readonly subagentRunId?: string;
  readonly metadata?: { readonly runcast?: { readonly outcome?: string } };
}

export interface Interrupt {
  readonly id: string;
  readonly reason: string;
  readonly toolCallId?: string;
  readonly responseSchema?: { readonly properties?: Record<string, unknown> };
}

/** The members of `HttpAgent` used here, which both versions have. */
export interface TestedClient {
  readonly messages: KeptMessage[];
  readonly state: unknown;
  readonly pendingInterrupts: readonly Interrupt[];
  setMessages(messages: unknown[]): void;
  addMessage(message: unknown): void;
  abortRun(): void;
  runAgent(parameters?: object, subscriber?: object): Promise<{ result: unknown; newMessages: KeptMessage[] }>;
}

type Options = { url: string; threadId?: string; fetch?: typeof fetch; headers?: Record<string, string> };

/** The real clients, each with its own verification on. */
export const clients: readonly (readonly [
  version: "1.0.0" | "0.0.59",
  style: "0" | "1",
  create: (options: Options) => TestedClient,
])[] = [
  ["1.0.0", "1", (options) => new client1.HttpAgent(options) as unknown as TestedClient],
  ["0.0.59", "0", (options) => new client0.HttpAgent(options) as unknown as TestedClient],
];

/** Fails if a client logs a warning meanwhile, because clients drop what they reject with a warning. */
export const withoutWarnings = async <Result>(run: () => Promise<Result>): Promise<Result> => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  try {
    const result = await run();
    expect(warned.mock.calls).toEqual([]);
    return result;
  } finally {
    warned.mockRestore();
  }
};
