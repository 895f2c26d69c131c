import { describe, expect, test } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import { goldenRuns } from "../contracts/dialect-variants.ts";
import { collapsed } from "./collapsed.ts";
import { generations } from "./generations.ts";
import { startShowing } from "./showing.ts";

describe.each(generations)("collapse in generation $name", (generation) => {
  test.each(goldenRuns)("$name: the answer is outside the one block", ({ entries }) => {
    const showing = startShowing(openWebui, "collapse", generation);
    for (const entry of entries) showing.take(entry);
    showing.webui.end();
    const { answer, steps, isFolded } = collapsed(showing.webui.reloaded());
    expect(isFolded).toBe(steps.length > 0);
    const end = entries.at(-1)!.event;
    if (end.type !== "run-end" || !end.answer) return;
    const texts = end.answer.map((part) => {
      const node = showing.state.nodes.get(part);
      return node?.kind === "text" ? node.text : "";
    });
    expect(answer.trim()).toBe(texts.join("\n\n").trim());
  });
});
