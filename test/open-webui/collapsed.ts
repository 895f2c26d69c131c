import { expect } from "vitest";
import type { Entry } from "../../src/events.ts";
import type { CallNode, RunState } from "../../src/state.ts";
import { type Display, isQuestion, ungrouped } from "./display.ts";
import { decodeEntities, markdownBlocks } from "./markdown-blocks.ts";

/** The steps of a run as shown by the `collapse` style: one text while they are in progress, one block once the answer is there. */
export interface Collapsed {
  readonly isFolded: boolean;
  readonly summary: string | undefined;
  /** Markdown, one paragraph each. */
  readonly steps: readonly string[];
  /** The text outside of the block. */
  readonly answer: string;
}

export const collapsed = ({ items }: Display): Collapsed => {
  const texts = ungrouped(items).flatMap((item) => (item.kind === "text" ? [item.text] : []));
  const words = texts.filter((text) => !isQuestion(text));
  const blocks = words.map((text) => (text.startsWith("<details>") ? markdownBlocks(text) : []));
  const block = blocks.flat().find(({ kind }) => kind === "details");
  if (block?.kind === "details") {
    expect(blocks.flat().filter(({ kind }) => kind === "details")).toHaveLength(1);
    expect(block.attributes).toEqual({});
    return {
      isFolded: true,
      summary: block.summary,
      steps: decodeEntities(block.body).split("\n\n"),
      answer: words.filter((text) => !text.startsWith("<details>")).join(""),
    };
  }
  const isSteps = (text: string) => /^\*\*(?:🔧|🤖|💭) /u.test(text);
  const steps = words.find(isSteps);
  return {
    isFolded: false,
    summary: undefined,
    steps: steps === undefined ? [] : steps.trimEnd().split("\n\n"),
    answer: words.filter((text) => text !== steps).join(""),
  };
};

/** The expected names in the lines about tools, in the order of their events. */
export const createToolLines = () => {
  const names: string[] = [];
  return {
    names,
    /** Call it once the state contains the entry. */
    take({ event }: Entry, state: RunState): void {
      if (event.type === "tool-end") names.push(labelOf(event.call, state));
      if (event.type !== "text-end" || event.agent !== undefined) return;
      const part = state.nodes.get(event.part);
      if (part?.kind === "text" && part.call !== undefined && part.text.trim() !== "")
        names.push(labelOf(part.call, state));
    },
  };
};

const labelOf = (id: string, state: RunState): string => {
  const call = state.nodes.get(id) as CallNode;
  const agent = call.agent === undefined ? undefined : state.nodes.get(call.agent);
  return agent?.kind === "agent" ? `${agent.name} › ${call.name}` : call.name;
};

/** The root agent's text, part by part, ignoring white space. */
export const wordsOf = (state: RunState): string =>
  [...state.nodes.values()]
    .filter((node) => node.kind === "text" && node.agent === undefined && node.call === undefined && !node.replacedBy)
    .map((node) => (node.kind === "text" ? node.text : ""))
    .join("")
    .replaceAll(/\s/g, "");

export const expectCollapsed = (
  state: RunState,
  names: readonly string[],
  display: Display,
  isOver: boolean,
): Collapsed => {
  const shown = collapsed(display);
  const { steps, answer, summary, isFolded } = shown;
  expect(steps.flatMap((line) => /^\*\*🔧 (.+?):\*\* /su.exec(line)?.[1] ?? [])).toEqual(names);
  const calls = [...state.nodes.values()].filter((node) => node.kind === "call" && node.endedAt !== undefined).length;
  if (isFolded) expect(summary).toBe(`🔍 Execution Steps (${calls} ${calls === 1 ? "tool" : "tools"})`);
  if (isOver) expect(isFolded).toBe(steps.length > 0);
  const isThought = (line: string) => /^\*\*(?:🔧|💭) /u.test(line);
  const replies = steps.filter((line) => !isThought(line)).map((line) => line.replace(/^\*\*🤖 AI:\*\* /u, ""));
  expect([...replies, answer].join("").replaceAll(/\s/g, "")).toBe(wordsOf(state));
  return shown;
};
