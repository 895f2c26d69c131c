import { AsyncLocalStorage } from "node:async_hooks";
import type { ToolContext } from "../../tool.ts";

export interface CallInFlight {
  readonly context: ToolContext;
  /** By this the server says how far it is with it. */
  readonly token: string;
  /** The server's id of it, if it works on it as a task. */
  task?: string;
}

/** The calls that a connection is busy with, and which of them the server means when it asks or says something. */
export interface InFlight {
  run<Value>(call: CallInFlight, work: () => Promise<Value>): Promise<Value>;
  /** Runs work that belongs to no call, whatever call it was started by. */
  apart<Value>(work: () => Value): Value;
  of(token: string | number): CallInFlight | undefined;
  /** Undefined if there is none, or if it could be one of another run: the wrong person must never be asked. */
  owner(task?: string): CallInFlight | undefined;
}

export const inFlight = (): InFlight => {
  // Over HTTP a server speaks on the stream of the call it means, and what reads that stream was started by the call. Over
  // stdio a message does not say whom it is for.
  const storage = new AsyncLocalStorage<CallInFlight>();
  const calls = new Set<CallInFlight>();
  return {
    async run(call, work) {
      calls.add(call);
      try {
        return await storage.run(call, work);
      } finally {
        calls.delete(call);
      }
    },
    apart: (work) => storage.exit(work),
    of: (token) => [...calls].find((call) => call.token === token),
    owner(task) {
      const all = [...calls];
      if (task !== undefined) return all.find((call) => call.task === task);
      const current = storage.getStore();
      if (current && calls.has(current)) return current;
      const last = all.at(-1);
      return all.every(({ context }) => context.run === last?.context.run) ? last : undefined;
    },
  };
};
