import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { page as builtPage } from "../../src/page.ts";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, ended, send, violations } from "../browsing.ts";

const CARDS = path.join(import.meta.dirname, "../fixtures/cards.js");

/** One call of each tool. The dice wait until the gate opens. */
const rolling = () => {
  const gate = Promise.withResolvers<void>();
  const source: Source = async function* () {
    yield { type: "step-start", step: "s" };
    yield { type: "tool-start", call: "dice", name: "roll_dice" };
    yield { type: "tool-input-delta", call: "dice", delta: `{"sides":` };
    yield { type: "tool-input-delta", call: "dice", delta: `6}` };
    yield { type: "tool-input-end", call: "dice" };
    yield { type: "tool-start", call: "other", name: "plain_tool" };
    yield { type: "tool-input-end", call: "other", input: { city: "Bern" } };
    yield { type: "tool-start", call: "bad", name: "broken_tool" };
    yield { type: "tool-input-end", call: "bad", input: { city: "Oslo" } };
    yield { type: "step-end", step: "s", finish: "tools" };
    for (const call of ["dice", "other", "bad"]) yield { type: "tool-execute", call };
    await gate.promise;
    yield { type: "tool-end", call: "dice", outcome: "ok", value: [3, 5] };
    yield { type: "tool-end", call: "other", outcome: "ok", value: { degrees: 21 } };
    yield { type: "tool-end", call: "bad", outcome: "error", error: { code: "x", message: "The tool failed" } };
    yield { type: "step-start", step: "t" };
    yield { type: "step-end", step: "t", finish: "stop" };
  };
  return { source, gate };
};

describeInBrowser("an application's own cards", ({ serve, open, mistakes }: Browsing) => {
  test("a card draws the calls of its tool during and after the run; other tools keep the built-in card", async () => {
    const { source, gate } = rolling();
    const page = await open(await serve(source, { page: builtPage({ cards: CARDS })! }));
    await send(page, "roll");
    const dice = page.getByRole("article", { name: "Tool roll_dice" });
    const card = dice.getByRole("region", { name: "Dice" });
    await card.getByText("Sides: 6").waitFor();
    await card.getByText("Rolling").waitFor();
    expect(await card.locator("strong").innerText()).toBe("fair");
    // Hooks work because the card uses the page's own React.
    await card.getByRole("button", { name: "Shaken 0 times" }).click();
    await card.getByRole("button", { name: "Shaken 1 times" }).waitFor();
    expect(await dice.getByRole("group", { name: "Arguments" }).count()).toBe(0);
    await page.getByRole("article", { name: "Tool plain_tool" }).locator("pre", { hasText: "Bern" }).waitFor();
    expect(await violations(page)).toEqual([]);
    gate.resolve();
    await ended(page, "done");
    // The page's header line toggles the card, and the card keeps its state.
    await dice.getByRole("button", { expanded: false }).click();
    await card.getByText("Rolled 3 and 5").waitFor();
    await card.getByRole("button", { name: "Shaken 1 times" }).waitFor();
    expect(await dice.getAttribute("data-call")).toBe("ok");
    expect(mistakes().filter((text) => !text.includes("this card is broken"))).toEqual([]);
  });

  test("a card that throws is replaced by the built-in one, and a failure stays visible", async () => {
    const { source, gate } = rolling();
    const page = await open(await serve(source, { page: builtPage({ cards: CARDS })! }));
    await send(page, "roll");
    const bad = page.getByRole("article", { name: "Tool broken_tool" });
    await bad.locator("pre", { hasText: "Oslo" }).click();
    gate.resolve();
    await ended(page, "done");
    await bad.getByText("The tool failed").waitFor();
    expect(await bad.getAttribute("data-call")).toBe("error");
    expect(mistakes().join("\n")).toContain("this card is broken");
  });

  test("if a module cannot be used, the page keeps its own cards and reports it in the console", async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "runcast-cards-"));
    const file = path.join(directory, "cards.js");
    writeFileSync(file, "export const cards = {};\n");
    try {
      const { source, gate } = rolling();
      const page = await open(await serve(source, { page: builtPage({ cards: file })! }));
      await send(page, "roll");
      await page.getByRole("article", { name: "Tool roll_dice" }).getByRole("group", { name: "Arguments" }).waitFor();
      gate.resolve();
      await ended(page, "done");
      expect(mistakes().join("\n")).toContain("its default export is not a function");
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
