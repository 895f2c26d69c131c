import { AsyncLocalStorage } from "node:async_hooks";
import type { ToolContext } from "../../tool.ts";
import type { BoundedCall } from "./call-bounds.ts";

export interface CallInFlight {
  readonly context: ToolContext;
  /** The token with which the server reports progress. */
  readonly token: string;
  readonly bounds: BoundedCall;
  /** The server's task id, if it runs the call as a task. */
  task?: string;
}

/** The calls in flight on a connection, and which of them a server's message refers to. */
export interface InFlight {
  run<Value>(call: CallInFlight, work: () => Promise<Value>): Promise<Value>;
  /** Runs work that belongs to no call, even if a call started it. */
  apart<Value>(work: () => Value): Value;
  /** Aborts when the current call has ended, so none of its streams stay open. Undefined outside of calls. */
  ended(): AbortSignal | undefined;
  of(token: string | number): CallInFlight | undefined;
  /** Undefined if there is none, or if it could belong to another run: the wrong user must never be asked. */
  owner(task?: string): CallInFlight | undefined;
}

const STREAM_END_MS = 1000;

export const inFlight = (): InFlight => {
  // Over HTTP, a server sends messages on the stream of the call they belong to, and the reader of that stream runs in
  // the call's async context. Over stdio, a message does not name its call.
  const storage = new AsyncLocalStorage<CallInFlight>();
  const calls = new Map<CallInFlight, AbortController>();
  return {
    async run(call, work) {
      const ended = new AbortController();
      calls.set(call, ended);
      // End its stream immediately. The rest of it would only be parsed and refused.
      call.bounds.abandoned.addEventListener("abort", () => ended.abort(), { once: true });
      try {
        const value = await storage.run(call, work);
        // A server normally ends the stream of its response, and the connection can be reused. Abort it if the server
        // does not.
        setTimeout(() => ended.abort(), STREAM_END_MS).unref();
        return value;
      } catch (error) {
        ended.abort();
        throw error;
      } finally {
        calls.delete(call);
      }
    },
    apart: (work) => storage.exit(work),
    ended: () => calls.get(storage.getStore()!)?.signal,
    of: (token) => [...calls.keys()].find((call) => call.token === token),
    owner(task) {
      const all = [...calls.keys()];
      if (task !== undefined) return all.find((call) => call.task === task);
      const current = storage.getStore();
      if (current && calls.has(current)) return current;
      const last = all.at(-1);
      return all.every(({ context }) => context.run === last?.context.run) ? last : undefined;
    },
  };
};
