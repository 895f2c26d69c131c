import { createEventQueue } from "../event-queue.ts";
import type { Answer, Event, Json } from "../events.ts";
import type { RunRequest, Source } from "../source.ts";
import { createRun } from "./program/run.ts";

/** What a program can show. Calls may run concurrently: `await Promise.all([run.tool(…), run.tool(…)])`. */
export interface ProgramRun {
  /** Aborts when the user stops the run or this sub-agent. Pass it on to everything that takes time. */
  readonly signal: AbortSignal;
  /** Shows text, complete or streamed. */
  text(text: string | AsyncIterable<string>): Promise<void>;
  /** Shows thinking, complete or streamed. */
  thinking(text: string | AsyncIterable<string>): Promise<void>;
  /** Shows a call while `work` runs, and its result. If `work` throws, ends the call with that error and rejects with it. */
  tool<Result>(
    name: string,
    input: Json,
    work: (call: ProgramCall) => Result | Promise<Result>,
    options?: CallOptions,
  ): Promise<Result>;
  /** Shows `work` as a sub-agent: a function that uses its own `run`, or one that returns events like a source. */
  agent<Result>(
    name: string,
    task: string,
    work: (run: ProgramRun) => AsyncIterable<Event> | Result | Promise<Result>,
  ): Promise<Result | undefined>;
  /** Asks the user: a choice if there are options, a value if there is a schema, otherwise yes or no. Undefined if there is no answer. */
  ask(question: ProgramQuestion): Promise<Answer | undefined>;
  /** A short text about the current activity. */
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
  /** Aborts when the user stops the call or the run. */
  readonly signal: AbortSignal;
  /** Live output. */
  output(text: string, stream?: "stdout" | "stderr"): void;
  progress(progress: { readonly fraction?: number; readonly note?: string }): void;
}

export interface CallOptions {
  /** Shown to users instead of the name. */
  readonly title?: string;
  /** Whether the user must allow the call first. If denied, the promise rejects with a Refusal `denied`. */
  readonly approval?: boolean;
}

/**
 * An agent that is a program: a function that shows text, runs tools and starts sub-agents through `run`. The events
 * always follow the grammar, even if the function works concurrently. The run ends when the function and everything it
 * started have ended.
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
      () => stop.abort({ code: "abandoned", message: "No one is reading this run anymore." }),
    );
    return events;
  };
