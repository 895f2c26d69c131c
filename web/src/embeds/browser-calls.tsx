import { useEffect, useRef, useState } from "react";
import type { Part } from "runcast/events";
import type { CallNode, RunState } from "runcast/state";
import { oneLine } from "runcast/view";
import { Button } from "../kit/button.tsx";
import { type BrowserResult, type BrowserTool, callBrowserTool } from "./browser-tool.ts";

export interface BrowserResults {
  readonly content: readonly Part[];
  /** The HTML documents that are results, by call. */
  readonly pages: Readonly<Record<string, string>>;
}

export interface BrowserCallsProps {
  /** A run that ended with calls for this browser to run. */
  readonly state: RunState;
  readonly tools: readonly BrowserTool[];
  readonly onResults: (results: BrowserResults) => Promise<void>;
}

/** How much of a document the model sees. The user sees the document itself. */
const LONGEST_PAGE = 4000;

/** The calls that a run has deferred to this browser. Nothing is called before the user agrees. */
export const BrowserCalls = ({ state, tools, onResults }: BrowserCallsProps) => {
  const calls = state.awaiting.flatMap((id) => {
    const node = state.nodes.get(id);
    return node?.kind === "call" ? [node] : [];
  });
  const [isRunning, setRunning] = useState(false);
  const stopping = useRef<AbortController>(undefined);
  useEffect(() => () => stopping.current?.abort(), []);

  const finish = async (resultOf: (call: CallNode) => Promise<BrowserResult>): Promise<void> => {
    const results = await Promise.all(calls.map(async (call) => ({ call, result: await resultOf(call) })));
    await onResults(resultsOf(results));
  };
  const run = async (): Promise<void> => {
    const { signal } = (stopping.current = new AbortController());
    setRunning(true);
    try {
      await finish(async (call) => {
        const tool = tools.find(({ name }) => name === call.name);
        return tool ? callBrowserTool(tool, call.input, signal) : failure(`this browser has no tool ${call.name}`);
      });
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      setRunning(false);
    }
  };
  const refuse = (): void => void finish(async () => failure("the user declined to run this tool"));

  if (calls.length === 0) return null;
  const names = calls.map(({ name }) => oneLine(name)).join(", ");
  return (
    <section
      aria-label="Tool calls for this browser"
      className="mb-2 rounded-2xl border border-line bg-warm px-4 py-3 text-sm"
    >
      <p className="font-medium">The agent wants this browser to run {names}</p>
      <ul className="my-1 font-mono text-xs [overflow-wrap:anywhere]">
        {calls.map(({ id, name, inputText, input }) => (
          <li key={id}>
            {tools.find((tool) => tool.name === name)?.url ?? "no such tool in the settings"}{" "}
            {oneLine(inputText || JSON.stringify(input ?? {}), 300)}
          </li>
        ))}
      </ul>
      <p className="flex gap-2">
        <Button kind="main" disabled={isRunning} onClick={() => void run()}>
          {isRunning ? "Running…" : "Run"}
        </Button>
        {isRunning ? (
          <Button onClick={() => stopping.current?.abort()}>Stop</Button>
        ) : (
          <Button onClick={refuse}>Decline</Button>
        )}
      </p>
    </section>
  );
};

const failure = (text: string): BrowserResult => ({ text, isError: true });

const resultsOf = (
  results: readonly { readonly call: CallNode; readonly result: BrowserResult }[],
): BrowserResults => ({
  content: results.map(({ call, result: { text, isError, page } }) => ({
    type: "result",
    call: call.id,
    name: call.name,
    content: [{ type: "text", text: page !== undefined ? text.slice(0, LONGEST_PAGE) : text }],
    ...(isError && { error: true }),
  })),
  pages: Object.fromEntries(
    results.flatMap(({ call, result }) => (result.page === undefined ? [] : [[call.id, result.page]])),
  ),
});
