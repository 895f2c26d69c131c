import { fieldsOf, listOf } from "../../json.ts";
import type { Event, EventOf } from "../../events.ts";
import { messageOf } from "../../message-of.ts";
import { Refusal, type RunContext, type RunRequest } from "../../source.ts";
import { idsOf } from "../upstream/agent-writer.ts";
import { answersOf } from "./answers.ts";
import { Decoder } from "./decoder.ts";
import { LocalEvents } from "./local-events.ts";
import { inputOf } from "./prompt.ts";
import { type Showing, shown } from "./showing.ts";

/** The parts of a compiled graph that are used here. */
export interface Graph {
  // A graph defines the types of its state and settings.
  // oxlint-disable-next-line typescript/no-explicit-any
  streamEvents(input: any, options: any): any;
  // oxlint-disable-next-line typescript/no-explicit-any
  getState?(config: any): any;
}

/** The result of `streamEvents`, version 3. */
interface GraphRun extends AsyncIterable<unknown> {
  readonly interrupts?: readonly unknown[];
  readonly output?: PromiseLike<unknown>;
  readonly toolCalls?: AsyncIterable<{ readonly output?: PromiseLike<unknown> }>;
}

/** Runs a graph of LangGraph.js in this process. */
export async function* playGraph(
  graph: Graph,
  config: { readonly [key: string]: unknown } | undefined,
  thread: string,
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<Event> {
  const settings = { ...config, configurable: { ...fieldsOf(config?.["configurable"]), thread_id: thread } };
  const decoder = new Decoder(idsOf(context.run), "");
  const known = request.thread === undefined ? [] : await messagesOf(graph, settings);
  let input: unknown = await inputOf(request, known, context);
  while (!decoder.end) {
    yield* segment(graph, input, settings, { decoder, context });
    if (context.signal.aborted) return;
    if (!decoder.isPaused) break;
    const given = yield* answersOf({ decoder, context });
    if (!given) return;
    await context.stored();
    const resume = Object.fromEntries(given.responses.map(({ interrupt, response }) => [interrupt, response]));
    // The object that `new Command({ resume })` creates.
    input = { lg_name: "Command", lc_direct_tool_output: true, goto: [], resume };
  }
  if (decoder.end) yield { type: "run-end", ...decoder.end } satisfies EventOf<"run-end">;
}

async function* segment(graph: Graph, input: unknown, settings: object, showing: Showing): AsyncGenerator<Event> {
  const { decoder, context } = showing;
  const { signal } = context;
  const events = new LocalEvents();
  let run: GraphRun;
  try {
    run = (await graph.streamEvents(input, { ...settings, version: "v3", signal })) as GraphRun;
    catchAll(run);
    for await (const event of run) {
      if (signal.aborted) return;
      for (const one of events.take(event)) yield* shown(showing, one);
    }
    for (const one of events.finish(listOf(run.interrupts))) yield* shown(showing, one);
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof Refusal) throw error;
    if (!decoder.end) throw new Refusal("agent-failed", messageOf(error), { status: 502, cause: error });
  }
}

/** Unhandled rejections would end the process. */
const catchAll = ({ output, toolCalls }: GraphRun): void => {
  output?.then(undefined, () => {});
  const consume = async (): Promise<void> => {
    for await (const call of toolCalls ?? []) call.output?.then(undefined, () => {});
  };
  consume().catch(() => {});
};

/** The thread's existing messages. A graph without a checkpointer stores none. */
const messagesOf = async (graph: Graph, settings: object): Promise<readonly unknown[]> => {
  try {
    const state: unknown = await graph.getState?.(settings);
    return listOf(fieldsOf(fieldsOf(state)["values"])["messages"]).map((one) => fieldsOf(one));
  } catch {
    return [];
  }
};
