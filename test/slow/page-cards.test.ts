import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Event } from "../../src/events.ts";
import { demoAgent } from "../../src/models/demo.ts";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, ended, send, violations } from "../browsing.ts";
import { gallery } from "../web/gallery.ts";
import { HOSTILE } from "../web/hostile-events.ts";
import { calmRenders, countRenders, takeRenders } from "../web/render-counter.ts";
import { cardsThenText } from "../web/cards-then-text.ts";

const card = (page: Page, name: string) => page.getByRole("article", { name: `Tool ${name}`, exact: true });
const opener = (page: Page, name: string) => card(page, name).getByRole("button", { expanded: false }).first();

describeInBrowser("the cards of a run", ({ serve, open, mistakes }: Browsing) => {
  const show = async (message: string, source: Source = gallery): Promise<Page> => {
    const page = await open(await serve(source));
    await send(page, message);
    return page;
  };

  test("every outcome has its own icon and label", async () => {
    const page = await show("outcomes");
    await ended(page, "done");
    const marks = await page
      .locator("[data-call] [data-state]")
      .evaluateAll((found) =>
        found.map(
          (mark) => [mark.getAttribute("data-state"), mark.textContent, mark.querySelector("svg")!.innerHTML] as const,
        ),
      );
    expect(marks.map(([state, word]) => [state, word])).toEqual([
      ["ok", "done"],
      ["error", "failed"],
      ["timeout", "timed out"],
      ["cancelled", "cancelled"],
      ["interrupted", "interrupted"],
      ["denied", "denied"],
      ["deferred", "handed to the client"],
    ]);
    expect(new Set(marks.map(([, , drawing]) => drawing)).size).toBe(marks.length);
    const failed = card(page, "end_as_error");
    expect(await failed.locator("[data-problem]").innerText()).toBe(
      "There is no file notes.txt.\n\nWhat to do: Look at the list of files.",
    );
    expect(await failed.locator("[data-time]").innerText()).toBe("120 ms");
    expect(await violations(page)).toEqual([]);
  });

  test("a running call shows streaming arguments, progress, output and time; stopping it is acknowledged", async () => {
    const page = await show("working");
    const building = card(page, "Build");
    await building.locator("[data-state=executing]").waitFor();
    await building.getByText("linking").waitFor();
    expect(await building.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("40");
    expect(await building.locator("[data-stream=stderr]").innerText()).toContain("unused <b>variable</b>");
    expect(await building.locator("[data-output] .text-ok").innerText()).toBe("✔");
    expect(await building.locator("[data-elapsed]").innerText()).toMatch(/^\d+ s$/);
    const writing = card(page, "write_file");
    expect(await writing.locator("[data-state]").first().getAttribute("data-state")).toBe("pending");
    expect(await writing.locator("[data-field=path]").getAttribute("data-whole")).toBe("true");
    expect(await writing.locator("[data-field=content]").getAttribute("data-whole")).toBe("false");
    expect(await writing.locator("[data-field=content] pre").innerText()).toContain("const a = 1;\nconst b");
    expect(await page.getByText("Thought for").count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Stop the run" }).click();
    await ended(page, "cancelled");
    expect(await page.locator("[data-state=executing], [data-state=pending]").count()).toBe(0);
    expect(await page.locator("[data-run-end] [data-title]").innerText()).toBe("Cancelled");
  });

  test("one call is stopped by its own button, and the run continues", async () => {
    const page = await show("Start something slow that I can stop", demoAgent({ speed: 5 }));
    await card(page, "watch_deploy").getByRole("button", { name: "Stop watch_deploy" }).click();
    await ended(page, "done");
    expect(await card(page, "watch_deploy").getAttribute("data-call")).toBe("cancelled");
  });

  test("a retried model request shows the reason and the number of the attempt", async () => {
    const page = await show("Retry after a rate limit", demoAgent({ speed: 30 }));
    await page
      .getByText(/^The request to the model failed: Too many requests \(scripted\)\. Attempt 2 after [\d.]+ m?s\.$/)
      .waitFor();
    await ended(page, "done");
  });

  test("one sub-agent of three is stopped by its own button; the others are next to it and finish", async () => {
    const page = await show("agents");
    const agents = page.locator("[data-agent]");
    await agents.nth(2).waitFor();
    const tops = await agents.evaluateAll((found) =>
      found.map((agent) => Math.round(agent.getBoundingClientRect().top)),
    );
    expect(new Set(tops).size).toBe(1);
    expect(await violations(page)).toEqual([]);
    await agents.nth(1).getByRole("button", { name: "Stop helper b" }).click();
    await ended(page, "done");
    expect(await agents.evaluateAll((found) => found.map((agent) => agent.getAttribute("data-agent")))).toEqual([
      "done",
      "cancelled",
      "done",
    ]);
  });

  test("sub-agents with the same name are distinguished by their tasks, however narrow they are", async () => {
    const page = await open(await serve(demoAgent({ speed: 30 })), { viewport: { width: 768, height: 800 } });
    await send(page, "Start three sub-agents in parallel");
    await ended(page, "done");
    const tasks = await page
      .locator("[data-agent=done] [data-task]")
      .evaluateAll((found) => found.map((task) => [task.textContent, task.scrollHeight <= task.clientHeight]));
    expect(tasks).toEqual([
      ["What do the notes say about the state of the tests?", true],
      ["What do the notes say about dependencies?", true],
      ["What do the notes say about build times?", true],
    ]);
  });

  test("sub-agents nest three deep, each with its own work", async () => {
    const page = await show("Show sub-agents, nested three deep", demoAgent({ speed: 30 }));
    await ended(page, "done");
    const agents = page.locator("[data-agent]");
    for (const name of ["researcher", "reader"])
      await page
        .getByRole("group", { name: `Sub-agent ${name}` })
        .getByRole("button", { expanded: false })
        .first()
        .click();
    expect(
      await agents.evaluateAll((found) =>
        found.map((agent) => agent.parentElement!.closest("[data-agent]")?.getAttribute("aria-label") ?? ""),
      ),
    ).toEqual(["", "Sub-agent researcher", "Sub-agent reader"]);
    expect(await violations(page)).toEqual([]);
  });

  test("thoughts are above the answer, folded, and can be opened", async () => {
    const page = await show("Think hard about the release", demoAgent({ speed: 30 }));
    await ended(page, "done");
    const kinds = await page
      .locator("[data-run] [data-kind]")
      .evaluateAll((found) => found.map((part) => part.getAttribute("data-kind")));
    expect(kinds).toEqual(["thinking", "text"]);
    const thinking = page.locator("[data-kind=thinking]");
    expect(await thinking.innerText()).toMatch(/^Thought for [\d.]+ m?s$/);
    await thinking.locator("summary").click();
    expect(await thinking.innerText()).toContain("Two things block the release");
  });

  test("finished calls fold into one row, which keeps the state of their cards", async () => {
    const page = await show("fold");
    await ended(page, "done");
    const row = page.locator("[data-folded]");
    expect(await row.innerText()).toMatch(/^failed\s+5 tools\s+1 failed\s+search, read_file\s+\d+ ms$/);
    expect(await row.locator("[data-state]").getAttribute("data-state")).toBe("error");
    expect(await page.locator("[data-call]:visible").count()).toBe(0);
    await row.click();
    expect(await page.locator("[data-call]:visible").count()).toBe(5);
    await page.locator("[data-call] button").first().click();
    await page
      .locator("[data-arguments]")
      .first()
      .evaluate((element) => (element.id = "mark"));
    await row.click();
    expect(await page.locator("[data-call]:visible").count()).toBe(0);
    await row.click();
    expect(await page.locator("#mark:visible").count()).toBe(1);
    expect(await violations(page)).toEqual([]);
  });

  test("calls stay open while they run, and are not drawn again when they fold", async () => {
    const gates = new Map<string, () => void>();
    const page = await show("x", async function* (): AsyncIterable<Event> {
      yield { type: "step-start", step: "s" };
      for (const call of ["a", "b"]) {
        yield { type: "tool-start", call, name: call };
        yield { type: "tool-input-end", call, input: {} };
      }
      yield { type: "step-end", step: "s", finish: "tools" };
      for (const call of ["a", "b"]) yield { type: "tool-execute", call };
      for (const call of ["a", "b", "text"]) {
        await new Promise<void>((resolve) => gates.set(call, resolve));
        if (call !== "text") yield { type: "tool-end", call, outcome: "ok" };
      }
      yield { type: "step-start", step: "t" };
      yield { type: "text-start", part: "p" };
      yield { type: "text-delta", part: "p", delta: "Both ran." };
    });
    await card(page, "b").waitFor();
    await card(page, "a").evaluate((element) => (element.id = "first"));
    gates.get("a")!();
    await page.locator("#first[data-call=ok]").waitFor();
    expect(await page.locator("[data-call]:visible").count()).toBe(2);
    gates.get("b")!();
    await page.locator("[data-call=ok]").nth(1).waitFor();
    expect(await page.locator("[data-folded]").count()).toBe(0);
    gates.get("text")!();
    await page.locator("[data-folded=true]").waitFor();
    expect(await page.locator("#first").isHidden()).toBe(true);
    await page.locator("[data-folded]").click();
    expect(await page.locator("#first[data-call=ok]").isVisible()).toBe(true);
  });

  describe("results", () => {
    test("are tables, trees, Markdown, diffs, terminal output, text and links, each drawn correctly", async () => {
      const page = await show("results");
      await ended(page, "done");
      for (const name of ["table", "tree", "markdown", "plain", "diff", "terminal", "both", "link"])
        await opener(page, `give_${name}`).click();
      const table = card(page, "give_table");
      expect(await table.locator("tbody tr").count()).toBe(50);
      await table.getByRole("button", { name: "Last" }).click();
      expect(await table.locator("tbody tr").last().innerText()).toMatch(/^120\s+Item 120\s+178.5\s+true$/);
      const tree = card(page, "give_tree");
      await tree.getByRole("button", { name: /^checks: \[400\]/ }).click();
      await tree.getByRole("button", { name: /^0: \{3\} id: 0, ok: false/ }).waitFor();
      expect(await tree.locator("[data-json] button").count()).toBeLessThan(100);
      expect(await card(page, "give_markdown").getByRole("heading", { name: "Report" }).count()).toBe(1);
      await card(page, "give_markdown").getByRole("button", { name: "Show raw" }).click();
      expect(await card(page, "give_markdown").getByText("# Report").count()).toBe(1);
      const plain = await card(page, "give_plain").locator("pre", { hasText: "drwx" }).innerText();
      expect(plain).toBe("drwxr-xr-x 2 ada ada 4096 src\n-rw-r--r-- 1 ada ada  812 README.md");
      const diff = card(page, "give_diff");
      expect(await diff.locator("[data-diff] [data-line=added]").innerText()).toContain("new line");
      expect(await diff.locator("[data-diff] [data-line=removed]").innerText()).toContain("old line");
      const terminal = card(page, "give_terminal");
      expect(await terminal.locator("[data-terminal] .text-bad").innerText()).toBe("failed");
      await terminal.getByRole("button", { name: "Show raw" }).click();
      await terminal.getByRole("button", { name: "Show as terminal output" }).click();
      expect(await card(page, "give_both").getByText("Data", { exact: true }).count()).toBe(1);
      expect(
        await card(page, "give_link")
          .locator("a")
          .evaluateAll((links) => links.map((link) => link.getAttribute("href"))),
      ).toEqual(["https://lantern.example/report"]);
      expect(await violations(page)).toEqual([]);
    });

    test("of 10 MB are shown page by page without blocking the page", async () => {
      const page = await show("huge");
      await ended(page, "done");
      await opener(page, "give_huge").click();
      const huge = card(page, "give_huge");
      await huge.getByText("10.4 MB").first().waitFor();
      await huge.getByRole("button", { name: "Show all" }).click();
      await huge.getByText("page 1 of 167, 10.4 MB in all").waitFor();
      const asked: number[] = [];
      page.on("response", async (response) => asked.push(Number(await response.headerValue("content-length"))));
      await huge.getByRole("button", { name: "Last" }).click();
      await huge.getByText("page 167 of 167").waitFor();
      await huge.locator("[data-pages][aria-busy=false]").waitFor();
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      expect(asked.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(200_000);
      expect((await huge.locator("[data-pages] pre").innerText()).endsWith("nobody knows why it does. äöü\n")).toBe(
        true,
      );
    });

    test("in files are previewed and stored; their content cannot reach the page", async () => {
      const page = await show("files");
      await ended(page, "done");
      await opener(page, "draw").click();
      const image = card(page, "draw").locator("img");
      await image.waitFor();
      expect(
        await image.evaluate((element: HTMLImageElement) => element.decode().then(() => element.naturalWidth)),
      ).toBe(1);
      await page.locator("[data-file]", { hasText: "report.md" }).getByRole("button", { name: "Preview" }).click();
      await page.getByRole("heading", { name: "The report" }).waitFor();
      const chart = card(page, "draw").locator("[data-file]", { hasText: "chart.html" });
      await chart.getByRole("button", { name: "Preview" }).click();
      await chart.frameLocator("iframe").getByRole("heading", { name: "Chart" }).waitFor();
      await expect.poll(() => mistakes().join("\n")).toContain("Blocked a frame with origin");
      const download = page.waitForEvent("download");
      await page.locator("[data-file]", { hasText: "report.md" }).getByText("Download").click();
      expect((await download).suggestedFilename()).toBe("report.md");
      expect(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBeUndefined();
    });

    test("and arguments can be copied", async () => {
      const page = await show("outcomes");
      await ended(page, "done");
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await opener(page, "end_as_ok").click();
      await card(page, "end_as_ok").getByRole("button", { name: "Copy result" }).click();
      await card(page, "end_as_ok").getByText("Copied").waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("Done.");
      await card(page, "end_as_ok").getByRole("button", { name: "Copy arguments" }).click();
      await expect
        .poll(() => page.evaluate(() => navigator.clipboard.readText()))
        .toBe('{\n  "path": "notes.txt",\n  "outcome": "ok"\n}');
    });
  });

  test("sources, notices, the plan and other data", async () => {
    const page = await show("marks");
    await ended(page, "done");
    const source = page.getByRole("button", { name: "Release notes" });
    await source.click();
    expect(await page.locator("blockquote").innerText()).toContain("Version 3 is nearly ready.");
    expect(await page.locator("blockquote").innerText()).toContain("Ines · 2026-01-31 · accessed 2026-02-01");
    expect(await page.locator("blockquote a").getAttribute("href")).toBe("https://lantern.example/notes");
    expect(
      await page
        .locator("[data-notice]")
        .evaluateAll((found) => found.map((notice) => notice.getAttribute("data-notice"))),
    ).toEqual(["info", "success", "warning", "error"]);
    expect(await page.getByRole("group", { name: "Plan" }).innerText()).toContain("1 of 4 done");
    expect(await page.locator("[data-todos] .animate-spin").count()).toBe(0);
    const budget = page.getByRole("group", { name: "Data budget" });
    await budget.getByRole("button").click();
    expect(await budget.innerText()).toMatch(/spent\s*:?\s*12[^]*left\s*:?\s*88/);
    await page.getByText("branch: main", { exact: true }).waitFor();
    // Neither the mode nor an empty value has a card.
    expect(await page.getByRole("group", { name: /^Data / }).count()).toBe(1);
    await page.locator("[data-run-end=done]").getByText("mode: plan").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test("a failed run explains what to do, and offers a retry only if it can help", async () => {
    const page = await show("Retry after a rate limit", demoAgent({ speed: 30 }));
    await ended(page, "done");
    expect(await page.locator("[data-run]").innerText()).toContain("Too many requests (scripted)");
    for (const retryable of [true, false]) {
      const failed = await show("x", async function* (): AsyncIterable<Event> {
        yield {
          type: "run-end",
          outcome: "error",
          error: { code: "overloaded", message: "Too busy.", retryable, hint: "Wait a little." },
        };
      });
      await ended(failed, "error");
      expect(await failed.locator("[data-run-end]").innerText()).toContain("What to do: Wait a little.");
      expect(await failed.getByRole("button", { name: "Try again" }).count()).toBe(retryable ? 1 : 0);
      expect(await failed.getByText("A retry would not help").count()).toBe(retryable ? 0 : 1);
    }
  });

  test("axe finds nothing in dark mode or at the width of a phone", async () => {
    const url = await serve(gallery);
    for (const options of [{ colorScheme: "dark" }, { viewport: { width: 390, height: 844 } }] as const) {
      const page = await open(`${url}/?run=${await start(url, "outcomes marks fold results working")}`, options);
      await page.locator("[data-run-end=running]").waitFor();
      await page.getByRole("article", { name: "Tool write_file" }).waitFor();
      for (const name of ["table", "tree", "markdown", "huge"]) await opener(page, `give_${name}`).click();
      expect(await violations(page)).toEqual([]);
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(wide).toBe(0);
    }
  });

  test("everything is text: no output of a model or a tool becomes markup or reverses text", async () => {
    const page = await show("x", async function* () {
      yield* HOSTILE;
    });
    await ended(page, "done");
    const run = page.locator("[data-run]");
    const folds = run.locator("button[aria-expanded=false]:visible");
    while ((await folds.count()) > 0) await folds.first().click();
    await run.getByRole("group", { name: "Arguments" }).waitFor();
    expect(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBeUndefined();
    expect(await run.locator("img, script, a[href^=javascript]").count()).toBe(0);
    expect(await run.innerText()).toContain("⟦U+202E⟧");
    expect(await run.innerText()).not.toContain("\u202e");
  });

  test("a token renders only what it changes, however many cards there are", async () => {
    const { source, say } = cardsThenText(500);
    const page = await open(await serve(source));
    await countRenders(page);
    await page.reload();
    await send(page, "x");
    await page.locator("[data-run]").getByText("All cards are there.").waitFor();
    const before = await takeRenders(page);
    expect(before.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(500);
    await calmRenders(page);
    for (let word = 0; word < 10; word++) {
      await say(`word ${word} `);
      await page.locator("[data-run]").getByText(`word ${word}`).waitFor();
    }
    const renders = await takeRenders(page);
    // Text that only extends a part needs no React render.
    expect(Math.max(0, ...renders)).toBeLessThan(50);
  });
});

const start = async (url: string, message: string): Promise<string> => {
  const headers = { "content-type": "application/json", accept: "application/json" };
  const response = await fetch(`${url}/runs`, { method: "POST", headers, body: JSON.stringify({ message }) });
  return ((await response.json()) as { run: string }).run;
};
