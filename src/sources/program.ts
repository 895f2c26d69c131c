import { createEventQueue } from "../event-queue.ts";
import type { Answer, Event, Json } from "../events.ts";
import type { RunRequest, Source } from "../source.ts";
import { createRun } from "./program/run.ts";

/** What a program shows. All of it may be used at once: `await Promise.all([run.tool(…), run.tool(…)])`. */
export interface ProgramRun {
  /** Aborts when a person stops the run or this sub-agent. Pass it on to whatever takes time. */
  readonly signal: AbortSignal;
  /** Shows text, whole or as it comes. */
  text(text: string | AsyncIterable<string>): Promise<void>;
  /** Shows thinking, whole or as it comes. */
  thinking(text: string | AsyncIterable<string>): Promise<void>;
  /** Shows a call while `work` runs, and its result. Rejects with what `work` throws, after the call has ended with that error. */
  tool<Result>(
    name: string,
    input: Json,
    work: (call: ProgramCall) => Result | Promise<Result>,
    options?: CallOptions,
  ): Promise<Result>;
  /** Shows what `work` does as a sub-agent's: a function that uses its own `run`, or one that returns events, as a source does. */
  agent<Result>(
    name: string,
    task: string,
    work: (run: ProgramRun) => AsyncIterable<Event> | Result | Promise<Result>,
  ): Promise<Result | undefined>;
  /** Asks a person: a choice if there are options, a value if there is a schema, else yes or no. Undefined without an answer. */
  ask(question: ProgramQuestion): Promise<Answer | undefined>;
  /** What goes on now, in a few words. */
  status(text: string): void;
  notify(text: string, level?: "info" | "success" | "warning" | "error"): void;
}

export interface ProgramQuestion {
  readonly title: string;
  readonly message?: string;
  readonly options?: readonly { readonly value: Json; readonly label?: string; readonly description?: string }[];
  /** JSON Schema of the value. */
  readonly schema?: Json;
}

export interface ProgramCall {
  readonly call: string;
  /** Aborts when a person stops the call, or the run. */
  readonly signal: AbortSignal;
  /** Live output, as it comes. */
  output(text: string, stream?: "stdout" | "stderr"): void;
  progress(progress: { readonly fraction?: number; readonly note?: string }): void;
}

export interface CallOptions {
  /** What people see instead of the name. */
  readonly title?: string;
  /** Whether a person must allow the call first. If they deny it, the promise rejects with a Refusal `denied`. */
  readonly approval?: boolean;
}

/**
 * An agent that is a program: a function that shows text, runs tools and starts sub-agents through `run`. The events follow the
 * grammar whatever the function does, also at once. It ends when the function and everything it started have ended.
 */
export const program = (work: (run: ProgramRun, request: RunRequest) => unknown): Source =>
  function (request, context) {
    const stop = new AbortController();
    const signal = AbortSignal.any([context.signal, stop.signal]);
    const start = async (): Promise<void> => {
      const { run, end } = createRun(events, context, signal);
      await work(run, request);
      await end();
    };
    const events = createEventQueue(
      () =>
        void start().then(
          () => events.close(),
          (error: unknown) => events.close({ error }),
        ),
      () => stop.abort({ code: "abandoned", message: "Nobody reads this run any more." }),
    );
    return events;
  };
