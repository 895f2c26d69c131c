import { AsyncLocalStorage } from "node:async_hooks";
import type { ToolContext } from "../../tool.ts";
import type { BoundedCall } from "./call-bounds.ts";

export interface CallInFlight {
  readonly context: ToolContext;
  /** By this the server says how far it is with it. */
  readonly token: string;
  readonly bounds: BoundedCall;
  /** The server's id of it, if it works on it as a task. */
  task?: string;
}

/** The calls that a connection is busy with, and which of them the server means when it asks or says something. */
export interface InFlight {
  run<Value>(call: CallInFlight, work: () => Promise<Value>): Promise<Value>;
  /** Runs work that belongs to no call, whatever call it was started by. */
  apart<Value>(work: () => Value): Value;
  /** Aborts when the call that asks has ended: nothing of it may stay open. Undefined outside of calls. */
  ended(): AbortSignal | undefined;
  of(token: string | number): CallInFlight | undefined;
  /** Undefined if there is none, or if it could be one of another run: the wrong person must never be asked. */
  owner(task?: string): CallInFlight | undefined;
}

const STREAM_END_MS = 1000;

export const inFlight = (): InFlight => {
  // Over HTTP a server speaks on the stream of the call it means, and what reads that stream was started by the call. Over
  // stdio a message does not say whom it is for.
  const storage = new AsyncLocalStorage<CallInFlight>();
  const calls = new Map<CallInFlight, AbortController>();
  return {
    async run(call, work) {
      const ended = new AbortController();
      calls.set(call, ended);
      try {
        const value = await storage.run(call, work);
        // A server ends the stream of its answer by itself, and the connection can be used again. One that does not is made to.
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
