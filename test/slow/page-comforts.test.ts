import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import type { Event } from "../../src/events.ts";
import { describeAgent, type RunRequest, type Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, ended, send, setHidden, violations } from "../browsing.ts";

const ANSWER = "## Result\n\nIt is **done**:\n\n- one\n- `two`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";

const answering = (finish: "stop" | "length", requests: RunRequest[] = []): Source =>
  async function* (request): AsyncIterable<Event> {
    requests.push(request);
    yield { type: "step-start", step: "s" };
    yield { type: "text-start", part: "p" };
    yield { type: "text-delta", part: "p", delta: ANSWER };
    yield { type: "text-end", part: "p" };
    yield { type: "step-end", step: "s", finish: requests.length > 1 ? "stop" : finish };
  };

/** Asks for confirmation when the test allows it, then ends. */
const asking = (gate: Promise<void>): Source =>
  async function* (_, { answerTo }): AsyncIterable<Event> {
    yield { type: "step-start", step: "s" };
    yield { type: "step-end", step: "s", finish: "stop" };
    await gate;
    yield { type: "ask-start", ask: "a", kind: "confirmation", title: "Send the report?" };
    await answerTo("a");
  };

/** A hidden page connects every few seconds. */
const WHILE_HIDDEN = { timeout: 20_000 };

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/** Replaces the browser's notifications, which a test cannot see. */
const imitateNotifications = (page: Page) =>
  page.evaluate(() => {
    const shown: string[] = [];
    const Notifier = class extends EventTarget {
      static permission = "granted";
      static requestPermission = async () => "granted";
      constructor(title: string, { body }: { body: string }) {
        super();
        shown.push(`${title}: ${body}`);
      }
    };
    Object.assign(window, { shown, Notification: Notifier });
  });
const notified = (page: Page) => page.evaluate(() => (window as unknown as { shown: string[] }).shown);

describeInBrowser("daily comforts", ({ serve, open, openHideable }: Browsing) => {
  test("an answer is copied as Markdown or as text", async () => {
    const page = await open(await serve(answering("stop")), { permissions: ["clipboard-read", "clipboard-write"] });
    await send(page, "go");
    await ended(page, "done");
    await page.getByRole("button", { name: "Copy Markdown" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await copied(page)).toBe(ANSWER.trim());
    await page.getByRole("button", { name: "Copy text" }).click();
    await expect.poll(() => copied(page)).toBe("Result\n\nIt is done:\n\n- one\n- two\n\na\tb\n1\t2");
    expect(await violations(page)).toEqual([]);
  });

  test("on a phone, the actions on an answer fit in one row of icons and keep their names", async () => {
    const page = await open(await serve(answering("stop")), { viewport: { width: 390, height: 780 } });
    await send(page, "go");
    await ended(page, "done");
    const tops = new Set<number>();
    for (const name of ["Run again", "Fork", "Copy Markdown", "Copy text", "Replay", "Share", "Delete"]) {
      const box = await page.getByRole("button", { name, exact: true }).last().boundingBox();
      tops.add(box!.y);
      // The smallest target that WCAG 2.2 allows.
      expect(Math.min(box!.width, box!.height)).toBeGreaterThanOrEqual(24);
    }
    expect(tops.size).toBe(1);
    expect(await violations(page)).toEqual([]);
  });

  test("the actions on an earlier message appear with the pointer or the focus, and on a touch screen at once", async () => {
    const url = await serve(answering("stop"));
    const page = await open(url);
    await send(page, "go");
    await ended(page, "done");
    const edit = page.getByRole("button", { name: "Edit", exact: true });
    const rerun = page.getByRole("button", { name: "Run again" });
    const isSeen = (action: Locator) =>
      action.evaluate((element) => element.checkVisibility({ opacityProperty: true }));
    await page.mouse.move(0, 0);
    expect([await isSeen(edit), await isSeen(rerun)]).toEqual([false, true]);
    await edit.focus();
    expect(await isSeen(edit)).toBe(true);
    await page.getByRole("textbox", { name: "Message the agent" }).focus();
    expect(await isSeen(edit)).toBe(false);
    await page.getByRole("article", { name: "You" }).hover();
    expect(await isSeen(edit)).toBe(true);
    await send(page, "again");
    await expect.poll(() => rerun.count()).toBe(2);
    await page.mouse.move(0, 0);
    expect([await isSeen(rerun.first()), await isSeen(rerun.last())]).toEqual([false, true]);
    expect(await violations(page)).toEqual([]);

    const touched = await open(url, { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true });
    await send(touched, "go");
    await ended(touched, "done");
    expect(await isSeen(touched.getByRole("button", { name: "Edit", exact: true }))).toBe(true);
  });

  test("on a touch screen, nothing is too small to tap, and no field makes the browser zoom in", async () => {
    const page = await open(await serve(), { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true });
    await send(page, "Send the report, but ask for my approval first");
    await page.getByRole("button", { name: "Edit arguments" }).click();
    const small = await page.getByRole("button").evaluateAll((buttons) =>
      buttons.flatMap((button) => {
        const { width, height } = button.getBoundingClientRect();
        return Math.min(width, height) < 32 ? [`${button.ariaLabel ?? button.textContent}: ${width} x ${height}`] : [];
      }),
    );
    expect(small).toEqual([]);
    const sizes = await page
      .locator("input:not([type=checkbox], [type=file]), select, textarea")
      .evaluateAll((fields) => fields.map((field) => Number.parseFloat(getComputedStyle(field).fontSize)));
    expect(sizes.length).toBeGreaterThan(1);
    // iOS zooms in on a field with text of less than 16 px.
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(16);
  });

  test("the start screen shows the agent and four suggestions; until there is a conversation, also what the page does", async () => {
    const page = await open(await serve());
    await page.getByRole("heading", { name: "demo", exact: true }).waitFor();
    await page.getByText("You see every thought, tool call and sub-agent").waitFor();
    expect(await page.getByRole("region", { name: "Try one of these" }).getByRole("button").count()).toBe(4);
    expect(await page.locator("main").innerText()).not.toMatch(/config|mcp/i);
    await send(page, "Just answer");
    await ended(page, "done");
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.getByRole("heading", { name: "demo", exact: true }).waitFor();
    await page.getByRole("button", { name: "Show me a failing tool" }).waitFor();
    expect(await page.getByText("You see every thought").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
  });

  test.each([
    ["on a desktop", {}],
    ["on a phone in dark mode", { colorScheme: "dark", viewport: { width: 390, height: 700 }, hasTouch: true }],
  ] as const)("the start screen shows what the chosen agent can do, and nothing moves, %s", async (_, options) => {
    const source: Source = async function* () {};
    const many = Array.from({ length: 20 }, (__, index) => ({ name: `tool_${index}`, description: `Does ${index}.` }));
    const long = { name: `mcp__${"very_".repeat(30)}long`, description: "Has a \u202Elong name." };
    const agents = {
      one: describeAgent(source, { description: "Looks up notes.", model: "small", models: ["large"] }),
      two: describeAgent(source, { tools: [long, ...many], modes: ["plan"], suggestions: ["Hi"] }),
    };
    const page = await open(await serve(undefined, { agents }), options);
    const heading = page.getByRole("heading", { level: 2 });
    const abilities = page.locator("main dl");
    await page.getByText("Looks up notes.").waitFor();
    expect((await abilities.innerText()).split(/\s+/)).toEqual(["Models", "small", "large"]);
    expect(await violations(page)).toEqual([]);
    const top = (await heading.boundingBox())!.y;
    await page.getByRole("combobox", { name: "Agent" }).selectOption("two");
    const more = page.getByRole("button", { name: "and 13 more" });
    await more.waitFor();
    expect(await abilities.getByRole("listitem").count()).toBe(10);
    expect(await abilities.getByText("tool_19").count()).toBe(0);
    // What is folded needs no pointer.
    await more.focus();
    await page.keyboard.press("Enter");
    await abilities.getByText("Does 19.").waitFor();
    await abilities.getByText("Has a ⟦U+202E⟧long name.").waitFor();
    expect((await heading.boundingBox())!.y).toBe(top);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await more.waitFor();
    expect((await heading.boundingBox())!.y).toBe(top);
  });

  test("a sub-agent that reports what it does still shows its task", async () => {
    const source: Source = async function* (_, { signal }) {
      yield { type: "agent-start", agent: "h", name: "helper", task: "Find the lighthouse" };
      yield { type: "status", text: "Reading the map", agent: "h" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    };
    const page = await open(await serve(source));
    await send(page, "go");
    const helper = page.getByRole("group", { name: "Sub-agent helper" });
    await helper.getByText("Reading the map").waitFor();
    await helper.getByText("Find the lighthouse").waitFor();
  });

  test("an answer that was cut at the limit can be continued, but only the last one", async () => {
    const requests: RunRequest[] = [];
    const page = await open(await serve(answering("length", requests)));
    await send(page, "go");
    await page.getByRole("button", { name: "Continue the answer" }).click();
    await ended(page, "done");
    expect(requests[1]!.messages.at(-1)).toEqual({
      role: "user",
      content: [{ type: "text", text: "Continue exactly where you stopped." }],
    });
    expect(await page.locator("[data-run-end=cut]").count()).toBe(1);
    expect(await page.getByRole("button", { name: "Continue the answer" }).count()).toBe(0);
  });

  test("the title of a hidden page shows that the agent asks, until the user looks", async () => {
    const gate = Promise.withResolvers<void>();
    const page = await openHideable(await serve(asking(gate.promise)));
    await send(page, "Do it");
    await page.locator("[data-run]").waitFor();
    await setHidden(page, true);
    expect(await page.title()).toBe("Do it · Runcast");
    gate.resolve();
    await expect.poll(() => page.title(), WHILE_HIDDEN).toBe("Waiting for you · Do it · Runcast");
    await setHidden(page, false);
    await expect.poll(() => page.title()).toBe("Do it · Runcast");
    await page.getByRole("button", { name: "Yes" }).first().click();
    await ended(page, "done");
    expect(await page.title()).toBe("Do it · Runcast");
  });

  test("the title of a hidden page shows that a run has finished", async () => {
    const gate = Promise.withResolvers<void>();
    const finishing: Source = async function* () {
      yield { type: "step-start", step: "s" };
      await gate.promise;
      yield { type: "step-end", step: "s", finish: "stop" };
    };
    const page = await openHideable(await serve(finishing));
    await imitateNotifications(page);
    await send(page, "Do it");
    await page.locator("[data-run]").waitFor();
    await setHidden(page, true);
    gate.resolve();
    await expect.poll(() => page.title(), WHILE_HIDDEN).toBe("Finished · Do it · Runcast");
    // They are off until the user turns them on.
    expect(await notified(page)).toEqual([]);
  });

  test("so does the title of the page of a single run", async () => {
    const gate = Promise.withResolvers<void>();
    const url = await serve(asking(gate.promise));
    const { run } = createClient({ url }).start({ message: "Do it" });
    const page = await openHideable(`${url}/?run=${run}`);
    await page.locator("[data-connection=live]").waitFor();
    await setHidden(page, true);
    gate.resolve();
    await expect.poll(() => page.title(), WHILE_HIDDEN).toBe("Waiting for you · Do it · Runcast");
    await setHidden(page, false);
    await page.getByRole("button", { name: "Yes" }).first().click();
    await ended(page, "done");
  });

  test("notifications are shown after the user turns them on and allows them, and only while the page is hidden", async () => {
    const gate = Promise.withResolvers<void>();
    const url = await serve(asking(gate.promise));
    const page = await openHideable(url);
    await imitateNotifications(page);
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByLabel("Notify me when an agent has a question or finishes").check();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Close" }).click();
    await send(page, "Do it");
    await page.locator("[data-run]").waitFor();
    await setHidden(page, true);
    gate.resolve();
    await expect.poll(() => notified(page), WHILE_HIDDEN).toEqual(["Waiting for you: Send the report?"]);
    await setHidden(page, false);
    await page.getByRole("button", { name: "Yes" }).first().click();
    await ended(page, "done");
    expect(await notified(page)).toHaveLength(1);
  });

  test("notifications that the browser blocks stay off, and the setting shows why", async () => {
    const page = await open(await serve());
    await page.evaluate(() => {
      Notification.requestPermission = async () => "denied";
    });
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    const setting = page.getByLabel("Notify me when an agent has a question or finishes");
    await setting.click();
    await page.getByText("This browser blocks notifications").waitFor();
    expect(await setting.isChecked()).toBe(false);
  });

  test.each(["light", "dark"] as const)("the focus has the page's own color, %s", async (colorScheme) => {
    const page = await open(await serve(answering("stop")), { colorScheme });
    await send(page, "go");
    await ended(page, "done");
    await page.getByRole("region", { name: "Conversation" }).focus();
    await page.keyboard.press("Tab");
    const [ring, accent] = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement("i"));
      probe.style.color = "var(--accent)";
      const { outlineColor, outlineStyle } = getComputedStyle(document.activeElement!);
      return [`${outlineStyle} ${outlineColor}`, `solid ${getComputedStyle(probe).color}`];
    });
    expect(ring).toBe(accent);
  });
});
