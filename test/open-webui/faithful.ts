import { expect } from "vitest";
import { type Display, isQuestion, readJson, type ShownCard } from "./display.ts";
import { type Expected, type ExpectedCard, expectedItems, readable } from "./expected.ts";
import { markdownBlocks } from "./markdown-blocks.ts";
import { type Showing, shownItems } from "./showing.ts";

/** How a style differs from `Expected`. */
export interface Faithful {
  readonly style: string;
  readonly hasCards: boolean;
  /** Whether a result is a separate item. */
  readonly hasResultItems: boolean;
  /** Whether it can distinguish a denied call from a failed one. */
  readonly showsDenied: boolean;
}

/** `isOver`: trailing white space of the last text is removed, and nothing spins. */
export const expectFaithful = (showing: Showing, faithful: Faithful, display: Display, isOver = false): void => {
  const { state, generation, webui } = showing;
  const { latest } = showing;
  const isLast = (thinking: string): boolean =>
    latest.started === thinking &&
    !(latest.callEnded && faithful.hasResultItems) &&
    !(latest.callStarted && faithful.hasCards);
  const expected = expectedItems(state, generation, { ...faithful, isLast });
  const shown = shownItems(display, generation);
  expect(shown.map(({ kind }) => kind)).toEqual(expected.map((item) => kindOf(item)));
  shown.forEach((item, index) => {
    const isEnd = isOver && index === shown.length - 1;
    const wanted = expected[index]!;
    if (item.kind === "card") expectCard(item, wanted as ExpectedCard, faithful);
    else if (item.kind === "thinking") {
      const { text, state } = wanted as Extract<Expected, { kind: "thinking" }>;
      expect(item).toMatchObject({ text, state: isOver ? "done" : state });
    } else expectText(item.text, wanted, isEnd);
  });
  expect(webui.crash).toBeUndefined();
};

/** The kind under which the state's item appears. */
const kindOf = ({ kind }: Expected): string => (kind === "ask" || kind === "words" ? "text" : kind);

const expectText = (text: string, wanted: Expected, isEnd: boolean): void => {
  if (wanted.kind === "ask") expect(isQuestion(text), text).toBe(true);
  else if (wanted.kind === "words") {
    const blocks = markdownBlocks(text);
    expect(blocks.map(({ kind }) => kind)).toEqual(["code"]);
    const plain = text.replaceAll("\u200b", "").replace(/^`{3,}text\n/, "");
    expect(plain.replace(/\n?`{3,}$/, "").trim()).toBe((readable(wanted.text) as string).trim());
  } else if (wanted.kind === "text") expect(isEnd ? text.trim() : text).toBe(isEnd ? wanted.text.trim() : wanted.text);
  else throw new Error(`${wanted.kind} is shown as text`);
};

const expectCard = (card: ShownCard, wanted: ExpectedCard, { showsDenied }: Faithful): void => {
  const label = showsDenied ? wanted.label : wanted.label.replace(/^Denied /, "View Result from ");
  expect({ ...card, call: card.call.replace("sub-agent:", "") }).toMatchObject({
    call: wanted.call,
    name: wanted.name,
    state: wanted.state,
    label,
  });
  expect(card.arguments === "" ? undefined : card.arguments).toEqual(readable(wanted.arguments));
  if (wanted.result === undefined) expect(card.result).toBeUndefined();
  else if (wanted.outcome === "ok")
    expect(card.result ?? "").toEqual(wanted.result === "" ? "" : readJson(readable(wanted.result) as string));
  else if (wanted.outcome !== "deferred") {
    expect(card.result).toMatch(/^Error: /);
    expect(card.result).toContain(readable(wanted.result));
  }
};
