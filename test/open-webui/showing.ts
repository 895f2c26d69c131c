import { expect } from "vitest";
import type { Dialect } from "../../src/dialect.ts";
import type { Entry } from "../../src/events.ts";
import { frameText } from "../../src/sse.ts";
import { createState, fold, type RunState } from "../../src/state.ts";
import { type Display, ungrouped } from "./display.ts";
import { expectedItems, readable, readByCard } from "./expected.ts";
import type { Generation } from "./generations.ts";
import { createOpenWebui, type OpenWebui } from "./open-webui.ts";

/** A run told to Open WebUI in a dialect, entry by entry, with the state that our own page would show beside it. */
export interface Showing {
  readonly webui: OpenWebui;
  readonly state: RunState;
  take(entry: Entry, onFrame?: () => void): void;
}

export const startShowing = (dialect: Dialect, style: string, generation: Generation): Showing => {
  const webui = createOpenWebui(generation);
  const state = createState();
  const encode = dialect.encode({ style, link: ({ file }) => `https://runcast.example/files/${file}` });
  return {
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

/** What is open at Open WebUI's side, or there twice. */
export const troubles = ({ items }: Display): readonly string[] => {
  const cards = ungrouped(items).filter((item) => item.kind === "card");
  const twice = cards.filter((card, index) => cards.findIndex(({ call }) => call === card.call) !== index);
  return twice.map(({ call }) => `call ${call} is shown twice`);
};

/** The cards style shows what the state says. `isOver`: white space at the end of the last text is gone. */
export const expectSame = (
  { webui, state }: Showing,
  generation: Generation,
  display: Display,
  isOver = false,
): void => {
  const shown = ungrouped(display.items).map((item, index, all) => {
    if (item.kind === "text") {
      const text = item.text.startsWith("⏸ ") ? "⏸" : item.text;
      return { kind: "text", text: isOver && index === all.length - 1 ? text.trim() : text };
    }
    if (item.kind === "thinking") return { kind: "thinking", text: item.text, state: item.state };
    const { kind, name, state, label } = item;
    return {
      kind,
      call: item.call.replace("sub-agent:", ""),
      name,
      state,
      label,
      arguments: item.arguments,
      result: item.result,
    };
  });
  const expected = expectedItems(state, generation).map((item, index, all) => {
    if (item.kind === "ask") return { kind: "text", text: "⏸" };
    if (item.kind === "text")
      return { ...item, text: isOver && index === all.length - 1 ? item.text.trim() : item.text };
    if (item.kind === "thinking") return isOver ? { ...item, state: "done" } : item;
    const { said, ...card } = item;
    const outcome = (state.nodes.get(item.call) as { state: string }).state;
    return {
      ...card,
      arguments: item.arguments === undefined ? "" : readable(item.arguments),
      result: said === undefined ? undefined : expectedResult(said, outcome),
    };
  });
  expect(shown).toEqual(expected);
  expect(webui.crash).toBeUndefined();
};

/** What a card shows of a call that ended so, if it is short. */
const expectedResult = (said: string, outcome: string): unknown => {
  if (outcome === "ok") return said === "" ? undefined : readByCard(readable(said) as string);
  if (outcome === "deferred") return expect.any(String);
  return expect.stringMatching(/^Error: /);
};
