import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { type Card, CardsProvider, ToolCard } from "../src/react.ts";
import { type CallNode, createState, fold } from "../src/state.ts";

const stateOf = (tool: string) => {
  const state = createState();
  const events = [
    { type: "run-start", protocol: 1, run: "r", name: "x" },
    { type: "step-start", step: "s" },
    { type: "tool-start", call: "c", name: tool },
    { type: "tool-input-end", call: "c", input: { sides: 6 } },
  ] as const;
  for (const [index, event] of events.entries()) fold(state, { seq: index + 1, at: index, event });
  return { state, call: state.nodes.get("c") as CallNode };
};

const Dice: Card = ({ call }) => createElement("b", null, JSON.stringify(call.input));
const Other: Card = () => createElement("i", null, "other");

const draw = (tool: string, around: (card: ReactNode) => ReactNode): string =>
  renderToStaticMarkup(around(createElement(ToolCard, stateOf(tool), "ours")));

describe("cards by tool name", () => {
  test("the registered card draws the call, and other tools get the default content", () => {
    const around = (card: ReactNode) => createElement(CardsProvider, { cards: { roll_dice: Dice } }, card);
    expect(draw("roll_dice", around)).toBe("<b>{&quot;sides&quot;:6}</b>");
    expect(draw("look", around)).toBe("ours");
    expect(draw("roll_dice", (card) => card)).toBe("ours");
  });

  test("a provider adds to outer ones, and the inner one wins", () => {
    const inner = (card: ReactNode) => createElement(CardsProvider, { cards: { roll_dice: Other } }, card);
    const around = (card: ReactNode) =>
      createElement(CardsProvider, { cards: { roll_dice: Dice, look: Dice } }, inner(card));
    expect(draw("roll_dice", around)).toBe("<i>other</i>");
    expect(draw("look", around)).toBe("<b>{&quot;sides&quot;:6}</b>");
  });

  test("a tool named like an object property has no card", () => {
    const around = (card: ReactNode) => createElement(CardsProvider, { cards: {} }, card);
    for (const name of ["toString", "constructor", "__proto__"]) expect(draw(name, around)).toBe("ours");
  });
});
