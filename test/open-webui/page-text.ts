import { detailsCard } from "./details-card.ts";
import { type Display, type Shown, type ShownCard, type ShownThinking } from "./display.ts";
import type { Generation } from "./generations.ts";
import { markdownBlocks } from "./markdown-blocks.ts";

/**
 * A message as the text that a user could select with everything collapsed, one line each. Supports only the Markdown
 * that the tests use.
 */
export const pageText = (display: Display, generation: Generation): readonly string[] => {
  const marks = (text: string) =>
    text.replace(/\[(\d+)\]/g, (mark, number) => {
      const source = display.sources[number - 1];
      return source ? `\n${source.name}\n` : mark;
    });
  const files = display.files.map((file) => (file as { name?: string }).name ?? "");
  return [
    ...(display.status ? [display.status.text] : []),
    ...files,
    ...grouped(display.items, generation).flatMap((shown) => lines(shown, display.done, marks, generation)),
    ...(display.error === undefined ? [] : [display.error]),
    ...(display.sources.length > 0
      ? [display.sources.length === 1 ? "1 Source" : `${display.sources.length} Sources`]
      : []),
  ]
    .map((line) => line.trim())
    .filter((line) => line !== "");
};

type Line = Shown | { readonly kind: "title"; readonly text: string };

/** Blocks within text are also cards and expandable blocks. */
const grouped = (items: readonly Shown[], generation: Generation): readonly Line[] =>
  items.flatMap((item): readonly Line[] => {
    if (item.kind !== "text") return [item];
    return markdownBlocks(item.text).map((block) => {
      if (block.kind !== "details") return { kind: "text", text: block.text };
      return block.attributes["type"] === "tool_calls"
        ? detailsCard(block, generation)
        : { kind: "title", text: block.summary };
    });
  });

const lines = (
  shown: Line,
  isOver: boolean,
  marks: (text: string) => string,
  generation: Generation,
): readonly string[] => {
  switch (shown.kind) {
    case "title":
      return [shown.text];
    case "text":
      return plainText(marks(shown.text)).split("\n");
    case "card":
      return [shown.embeds.length > 0 ? shown.name : shown.label];
    case "thinking":
      return [thinkingTitle(shown)];
    case "group":
      return [groupTitle(shown.items, isOver, generation)];
  }
};

/** Links, code spans, and bold text as displayed. */
const plainText = (markdown: string): string =>
  markdown
    .replace(/\[([^\]\n]*)\]\([^()\s]*\)/g, "$1")
    .replace(/(`+) ?(.*?) ?\1/g, "$2")
    .replace(/\*\*(.*?)\*\*/g, "$1");

const thinkingTitle = ({ state, seconds }: ShownThinking): string => {
  if (state === "spinner") return "Thinking...";
  if (seconds === undefined) return "Thought";
  return seconds < 1 ? "Thought for less than a second" : `Thought for ${seconds} seconds`;
};

const groupTitle = (
  items: readonly (ShownCard | ShownThinking)[],
  isOver: boolean,
  { tellsFailed }: Generation,
): string => {
  const counts = new Map<string, number>();
  for (const item of items) if (item.kind === "card") counts.set(item.name, (counts.get(item.name) ?? 0) + 1);
  const names = [...counts].map(([name, count]) => (count > 1 ? `${count} ${name}` : name));
  // Up to 0.11.0 nothing spins in a group once the message is done.
  const isBusy = items.some(
    (item) => item.state === "spinner" && (item.kind === "card" ? tellsFailed || !isOver : !isOver),
  );
  return `${isBusy ? "Exploring" : "Explored"} ${names.join(", ")}`.trim();
};
