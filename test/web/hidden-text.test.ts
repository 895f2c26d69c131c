import { type ComponentType, createElement, type Provider } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import type { Event } from "../../src/events.ts";
import { buildHtml } from "../../src/html-export/build.ts";
import { createState, fold, type RunState } from "../../src/state.ts";
import { runTitle } from "../../src/view.ts";

const web = `${import.meta.dirname}/../../web/src`;
// The compiler of the tests does not support JSX.
const { BrowserCalls } = (await import(`${web}/embeds/browser-calls.tsx`)) as { BrowserCalls: ComponentType<object> };
const { MarkView } = (await import(`${web}/run/mark-view.tsx`)) as { MarkView: ComponentType<object> };
const { RunContext } = (await import(`${web}/run/run-context.ts`)) as { RunContext: Provider<unknown> };
const { EmbedsContext } = (await import(`${web}/embeds/embeds-context.ts`)) as { EmbedsContext: Provider<unknown> };

/** Reverses the text that follows. No content of a run may show it to the user. */
const TURN = "\u202E";
const HIDDEN = /[\u202E\u200B]/;

const stateOf = (...events: readonly Event[]): RunState => {
  const state = createState();
  for (const [index, event] of events.entries()) fold(state, { seq: index + 1, at: 1 + index, event });
  return state;
};
const start: Event = {
  type: "run-start",
  protocol: 2,
  run: "r",
  name: `agent${TURN}x`,
  message: { role: "user", content: [{ type: "text", text: `Read${TURN}\nthis` }] },
};

describe("nothing is hidden", () => {
  test("in the question whether an embed may load", () => {
    const state = stateOf(start, {
      type: "embed",
      embed: "e",
      title: `Bank${TURN}`,
      html: "<p>",
      origins: ["https://a.example"],
    });
    const cell = (value: unknown) => ({ get: () => value, set: () => {}, subscribe: () => () => {} });
    const shown = renderToStaticMarkup(
      createElement(
        EmbedsContext,
        { value: { origins: cell({}), permissions: cell([]) } },
        createElement(
          RunContext,
          { value: { state, actions: {}, openers: new Map() } },
          createElement(MarkView, { node: state.root.items[0] } as object),
        ),
      ),
    );
    expect(shown).toContain("Bank⟦U+202E⟧ wants to load content from");
    expect(shown).toContain("Always allow for agent⟦U+202E⟧x");
    expect(shown).not.toMatch(HIDDEN);
  });

  test("in the question whether this browser may run a tool", () => {
    const state = stateOf(
      start,
      { type: "step-start", step: "s" },
      { type: "tool-start", call: "c", name: "pay\u200Bpal" },
      { type: "tool-input-end", call: "c", input: { to: `a${TURN}b` } },
      { type: "step-end", step: "s", finish: "tools" },
      { type: "tool-end", call: "c", outcome: "deferred" },
      { type: "run-end", outcome: "done", awaiting: ["c"] },
    );
    const shown = renderToStaticMarkup(
      createElement(BrowserCalls, { state, tools: [], onResults: () => {} } as object),
    );
    expect(shown).toContain("run pay⟦U+200B⟧pal");
    expect(shown).toContain("a⟦U+202E⟧b");
    expect(shown).not.toMatch(HIDDEN);
  });

  test("in the title of a run, of its page and of its export", () => {
    const title = "Read⟦U+202E⟧ this";
    expect(runTitle(stateOf(start))).toBe(title);
    const html = buildHtml({ run: "r", script: "export {};", redact: [] }, [{ seq: 1, at: 1, event: start }], [], 0);
    expect(html).toContain(`<title>${title}</title>`);
    expect(html).toContain(`<h1>${title}</h1>`);
  });
});
