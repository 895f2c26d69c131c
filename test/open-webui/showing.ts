import type { Dialect } from "../../src/dialect.ts";
import type { Entry } from "../../src/events.ts";
import { frameText } from "../../src/sse.ts";
import { createState, fold, type RunState } from "../../src/state.ts";
import { detailsCard } from "./details-card.ts";
import { type Display, type ShownCard, type ShownText, type ShownThinking, ungrouped } from "./display.ts";
import type { Generation } from "./generations.ts";
import { markdownBlocks } from "./markdown-blocks.ts";
import { createOpenWebui, type OpenWebui } from "./open-webui.ts";

/** A run told to Open WebUI in a dialect, entry by entry, with the state that our own page would show beside it. */
export interface Showing {
  readonly generation: Generation;
  readonly webui: OpenWebui;
  readonly state: RunState;
  take(entry: Entry, onFrame?: () => void): void;
}

export const startShowing = (dialect: Dialect, style: string, generation: Generation): Showing => {
  const webui = createOpenWebui(generation);
  const state = createState();
  const encode = dialect.encode({ style, link: ({ file }) => `https://runcast.example/files/${file}` });
  return {
    generation,
    webui,
    state,
    take(entry, onFrame) {
      for (const frame of encode(entry)) {
        webui.take(frameText(frame));
        onFrame?.();
      }
      fold(state, entry);
    },
  };
};

/** What is shown, one after the other; a text that is nothing but a block of a call is that card. */
export const shownItems = (
  { items }: Display,
  generation: Generation,
): readonly (ShownText | ShownCard | ShownThinking)[] =>
  ungrouped(items).map((item) => {
    if (item.kind !== "text" || !item.text.includes("<details")) return item;
    const [block, ...others] = markdownBlocks(item.text.trim());
    const isCall = block?.kind === "details" && block.attributes["type"] === "tool_calls" && others.length === 0;
    return isCall ? detailsCard(block, generation) : item;
  });

/** Calls that are shown twice. */
export const twice = (display: Display, generation: Generation): readonly string[] => {
  const cards = shownItems(display, generation).filter((item) => item.kind === "card");
  return cards
    .filter(({ call }, index) => cards.findIndex((card) => card.call === call) !== index)
    .map(({ call }) => call);
};
