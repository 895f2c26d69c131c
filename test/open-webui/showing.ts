import type { Dialect } from "../../src/dialect.ts";
import type { Entry } from "../../src/events.ts";
import { frameText } from "../../src/sse.ts";
import { createState, fold, type RunState } from "../../src/state.ts";
import { detailsCard } from "./details-card.ts";
import { type Display, type ShownCard, type ShownText, type ShownThinking, ungrouped } from "./display.ts";
import type { Generation } from "./generations.ts";
import { markdownBlocks } from "./markdown-blocks.ts";
import { createOpenWebui, type OpenWebui } from "./open-webui.ts";

/** A run sent to Open WebUI in a dialect, entry by entry, with the state that our own page would show. */
export interface Showing {
  readonly generation: Generation;
  readonly webui: OpenWebui;
  readonly state: RunState;
  /** The root's text or ask that started last, and whether calls started or ended since. */
  readonly latest: { readonly started: string; readonly callStarted: boolean; readonly callEnded: boolean };
  take(entry: Entry, onFrame?: () => void): void;
}

export const startShowing = (dialect: Dialect, style: string, generation: Generation): Showing => {
  const webui = createOpenWebui(generation);
  const state = createState();
  let latest = { started: "", callStarted: false, callEnded: false };
  const encode = dialect.encode({
    style,
    link: ({ file }) => `https://runcast.example/files/${file}`,
    embed: (access) => `https://runcast.example/live?token=${access}`,
  });
  return {
    generation,
    webui,
    state,
    get latest() {
      return latest;
    },
    take(entry, onFrame) {
      for (const frame of encode(entry)) {
        webui.take(frameText(frame));
        onFrame?.();
      }
      fold(state, entry);
      latest = latestAfter(latest, entry);
    },
  };
};

const latestAfter = (latest: Showing["latest"], { event }: Entry): Showing["latest"] => {
  const started = (id: string) => ({ started: id, callStarted: false, callEnded: false });
  switch (event.type) {
    case "text-start":
    case "thinking-start":
      return event.agent === undefined ? started(event.part) : latest;
    case "ask-start":
      return started(event.ask);
    case "tool-start":
      return { ...latest, callStarted: true };
    case "tool-end":
      return { ...latest, callEnded: true };
    default:
      return latest;
  }
};

/** The displayed items in order. A call's block counts as its card, and what follows it in the same text as text. */
export const shownItems = (
  { items }: Display,
  generation: Generation,
): readonly (ShownText | ShownCard | ShownThinking)[] =>
  ungrouped(items).flatMap((item) => {
    if (item.kind !== "text" || !item.text.includes("<details")) return [item];
    const [block, ...others] = markdownBlocks(item.text.trim());
    if (block?.kind !== "details" || block.attributes["type"] !== "tool_calls") return [item];
    if (others.some(({ kind }) => kind === "details")) return [item];
    const [, text = ""] = item.text.split("</details>");
    const rest: ShownText[] = text.trim() === "" ? [] : [{ kind: "text", text }];
    return [detailsCard(block, generation), ...rest];
  });

/** Calls that are shown twice. */
export const twice = (display: Display, generation: Generation): readonly string[] => {
  const cards = shownItems(display, generation).filter((item) => item.kind === "card");
  return cards
    .filter(({ call }, index) => cards.findIndex((card) => card.call === call) !== index)
    .map(({ call }) => call);
};
