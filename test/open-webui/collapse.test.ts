import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import type { Entry } from "../../src/events.ts";
import { goldenRuns } from "../contracts/dialect-variants.ts";
import { arbitraryLog } from "../generate.ts";
import { createToolLines, expectCollapsed } from "./collapsed.ts";
import { generations } from "./generations.ts";
import { startShowing } from "./showing.ts";

describe.each(generations)("collapse in generation $name", (generation) => {
  const tell = (entries: readonly Entry[]) => {
    const showing = startShowing(openWebui, "collapse", generation);
    const { webui, state } = showing;
    const lines = createToolLines(state);
    for (const entry of entries) {
      showing.take(entry);
      lines.take(entry);
      expectCollapsed(state, lines.names, webui.display(), false);
    }
    webui.end();
    expect(webui.executes).toEqual([]);
    expectCollapsed(state, lines.names, webui.reloaded(), true);
    return expectCollapsed(state, lines.names, webui.display(), true);
  };

  test.each(goldenRuns.filter(({ entries }) => entries.length < 400))(
    "$name: every step once, the answer outside",
    ({ entries }) => {
      const { answer } = tell(entries);
      const end = entries.at(-1)!.event;
      const texts = new Map<string, string>();
      for (const { event } of entries)
        if (event.type === "text-delta") texts.set(event.part, (texts.get(event.part) ?? "") + event.delta);
      if (end.type === "run-end" && end.answer)
        expect(answer.trim()).toBe(
          end.answer
            .map((part) => texts.get(part) ?? "")
            .join("\n\n")
            .trim(),
        );
    },
  );

  test("generated runs, too", () => {
    for (const entries of fc.sample(arbitraryLog(2), { numRuns: 10, seed: 3 })) tell(entries);
  });
});
