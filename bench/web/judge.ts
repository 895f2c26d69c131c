import type { Measured } from "./measure.ts";

export interface Samples {
  readonly runcast: Measured | undefined;
  readonly streamdown: Measured | undefined;
  readonly useChat: Measured | undefined;
  /** An incremental parser that uses no framework. */
  readonly streamingMarkdown: Measured | undefined;
  readonly list: Measured | undefined;
}

/** The targets with their measured values, and how many were missed. */
export const judge = (
  { runcast, streamdown, useChat, streamingMarkdown, list }: Samples,
  { tokens, quick, peersEveryMs }: { readonly tokens: number; readonly quick: boolean; readonly peersEveryMs: number },
): { rows: string[]; missed: number } => {
  let missed = 0;
  const rows: string[] = ["| what | measured | target | |", "|---|---|---|---|"];
  const row = (what: string, measured: string, target = "", isMet = true): void => {
    if (!isMet) missed++;
    rows.push(
      `| ${what} | ${measured} | ${target} | ${target === "" ? "" : isMet ? "met" : quick ? "(quick)" : "MISSED"} |`,
    );
  };
  const target = (what: string, value: number, unit: string, limit: number): void =>
    row(what, `${number(value)}${unit}`, `≤ ${limit}${unit}`, value <= limit);

  if (runcast) {
    target("p99 of the main thread's tasks (of 1 ms and more)", runcast.tasks.p99, " ms", 50);
    target("longest task", runcast.tasks.max, " ms", 150);
    row("the same in CPU time", `${number(runcast.tasks.cpu.p99)} ms, ${number(runcast.tasks.cpu.max)} ms`);
    target("script per token, last fifth ÷ second fifth", growth(runcast), " ×", 1.2);
    row(`script for ${tokens} tokens`, `${number(script(runcast))} ms`);
    row("script per token", `${number((script(runcast) / tokens) * 1000)} µs`);
    row("main thread per token, total", `${number((used(runcast, "task") / tokens) * 1000)} µs`);
    target("heap, second half's growth ÷ first half's", heapGrowth(runcast), " ×", 1.5);
  }
  if (list) {
    target(`script for one list of ${quick ? "400" : "4,000"} items`, script(list), " ms", 2000);
    row("its longest task, and in CPU time", `${number(list.tasks.max)} ms, ${number(list.tasks.cpu.max)} ms`);
  }
  for (const [name, peer] of [
    ["streamdown", streamdown],
    ["useChat", useChat],
  ] as const) {
    if (!peer) continue;
    row(`${name}: p99 of its tasks, longest task`, `${number(peer.tasks.p99)} ms, ${number(peer.tasks.max)} ms`);
    row(`${name}: script per token, last fifth ÷ second fifth`, `${number(growth(peer))} ×`);
    if (!runcast) continue;
    const whole = used(peer, "task") / used(runcast, "task");
    row(`${name} ÷ runcast, main thread, total`, `${number(whole)} ×`, "≥ 3 ×", whole >= 3);
    const ratio = script(peer) / script(runcast);
    row(`${name} ÷ runcast, script`, `${number(ratio)} ×`, "≥ 5 ×", ratio >= 5);
  }
  rows.push("", ...costs({ runcast, streamdown, useChat, "streaming-markdown": streamingMarkdown }));
  rows.push("", paceText(peersEveryMs));
  return { rows, missed };
};

/** Part of the result: a page that draws less often has less to do. */
const paceText = (peersEveryMs: number): string => {
  const peers =
    peersEveryMs > 0
      ? `the others every ${peersEveryMs} ms`
      : "streamdown and streaming-markdown once per frame, useChat as chunks arrive, as by default";
  return `New text is shown: runcast every 50 ms; ${peers}.`;
};

/** What each page's main thread did for the stream: everything, its parts, and the number of frames. The rest is mostly paint. */
const costs = (pages: Readonly<Record<string, Measured | undefined>>): string[] => [
  "| main thread, ms | total | script | style | layout | rest | frames |",
  "|---|---|---|---|---|---|---|",
  ...Object.entries(pages).flatMap(([name, page]) => {
    if (!page) return [];
    const [task, ...parts] = (["task", "script", "style", "layout"] as const).map((key) => used(page, key));
    const rest = parts.reduce((left, part) => left - part, task!);
    const cells = [task!, ...parts, rest, page.tasks.frames].map((value) => value.toFixed(0));
    return [`| ${name} | ${cells.join(" | ")} |`];
  }),
];

const used = ({ marks }: Measured, key: "task" | "script" | "style" | "layout"): number =>
  marks.at(-1)![key] - marks[0]![key];
const script = (measured: Measured): number => used(measured, "script");

/** The increase between two fractions of the stream. */
const between = ({ marks }: Measured, from: number, to: number, key: "script" | "heap"): number => {
  const at = (share: number) => marks[Math.round((marks.length - 1) * share)]!;
  return at(to)[key] - at(from)[key];
};

const growth = (measured: Measured): number =>
  between(measured, 0.8, 1, "script") / between(measured, 0.2, 0.4, "script");
const heapGrowth = (measured: Measured): number =>
  between(measured, 0.5, 1, "heap") / between(measured, 0, 0.5, "heap");

const number = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2));
