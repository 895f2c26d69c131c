import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Event } from "../../src/events.ts";
import { memory } from "../../src/logs/memory.ts";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, ended, send, violations } from "../browsing.ts";

const dialog = (page: Page) => page.getByRole("dialog", { name: "Replay" });
const slider = (page: Page) => dialog(page).getByRole("slider", { name: "Event" });
const place = (page: Page) => dialog(page).getByText(/^Event \d+ of \d+/);
const at = async (page: Page, seq: number): Promise<void> => {
  await dialog(page)
    .getByText(new RegExp(`^Event ${seq} of `))
    .waitFor();
};

/** Emits numbered words, so that each event is recognizable on the page. */
const counting = (words: number): Source =>
  async function* () {
    yield { type: "step-start", step: "s" };
    yield { type: "text-start", part: "p" };
    for (let index = 1; index <= words; index++) yield { type: "text-delta", part: "p", delta: ` w${index}` };
  };

describeInBrowser("replay and share on the page", ({ serve, open }: Browsing) => {
  test("to any event and step by step, with buttons and keys: the state is exact", async () => {
    const page = await open(await serve(counting(40)));
    await send(page, "Count");
    await ended(page, "done");
    await page.getByRole("button", { name: "Replay" }).click();
    await at(page, 0);
    await dialog(page).getByText("Before the first event").waitFor();
    const run = dialog(page).getByRole("region", { name: "Run at this event" });
    const last = async (word: string) => await run.getByText(new RegExp(`${word}$`)).waitFor();
    await slider(page).fill("10");
    await last("w7");
    await dialog(page).getByRole("button", { name: "Next event" }).click();
    await last("w8");
    await dialog(page).getByRole("button", { name: "Previous event" }).click();
    await page.keyboard.press("ArrowLeft");
    await last("w6");
    await page.keyboard.press("Shift+ArrowRight");
    await last("w16");
    expect(await slider(page).getAttribute("aria-valuetext")).toMatch(/^Event 19 of 46, after .*: text-delta " w16"$/);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("End");
    await at(page, 46);
    await run.getByText(/w40$/).waitFor();
    await page.keyboard.press("Home");
    await at(page, 0);
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "hidden" });
  });

  test("plays at the pace of the run or faster, and shortens long waits, with a note", async () => {
    const log = memory();
    const events: Event[] = [
      { type: "run-start", protocol: 1, run: "slow", name: "demo" },
      { type: "step-start", step: "s" },
      { type: "text-start", part: "p" },
      { type: "text-delta", part: "p", delta: "before" },
      { type: "text-delta", part: "p", delta: " and after" },
      { type: "text-end", part: "p" },
      { type: "step-end", step: "s", finish: "stop" },
      { type: "run-end", outcome: "done" },
    ];
    const times = [0, 0, 0, 10, 3_600_010, 3_600_011, 3_600_012, 3_600_013];
    await log.append(
      "slow",
      events.map((event, index) => ({ seq: index + 1, at: 1_700_000_000_000 + times[index]!, event })),
    );
    const page = await open(`${await serve(undefined, { log })}/?run=slow`);
    await page.getByRole("button", { name: "Replay" }).click();
    await dialog(page).getByText("1 long wait shortened to 2 s").waitFor();
    await slider(page).fill("4");
    await dialog(page).getByText("A wait of 1 h 0 min comes next, shortened to 2 s").waitFor();
    await slider(page).fill("0");
    await page.keyboard.press("+");
    await dialog(page).getByText("50×").click();
    await dialog(page).getByRole("button", { name: "Play" }).click();
    await at(page, 8);
    await dialog(page).getByRole("button", { name: "Play" }).waitFor();
    expect(await place(page).innerText()).toContain("1 h 0 min");
    await dialog(page).getByRole("region").getByText("before and after").waitFor();
  });

  test("a jump in a run of 100,000 events reaches any of them", async () => {
    const log = memory();
    const count = 100_000;
    const events: Event[] = [
      { type: "run-start", protocol: 1, run: "long", name: "demo" },
      { type: "step-start", step: "s" },
    ];
    while (events.length < count - 1) {
      const part = `p${Math.floor(events.length / 500)}`;
      if (events.length % 500 === 2 || events.length === 2) events.push({ type: "text-start", part });
      else if (events.length % 500 === 499)
        events.push({ type: "tool-start", call: `c${events.length}`, name: "look" });
      else events.push({ type: "text-delta", part: `p${Math.floor((events.length - 2) / 500)}`, delta: " w" });
    }
    events.push({ type: "run-end", outcome: "done" });
    const entries = events.map((event, index) => ({ seq: index + 1, at: 1_700_000_000_000 + index, event }));
    for (let from = 0; from < count; from += 5000) await log.append("long", entries.slice(from, from + 5000));
    const page = await open(`${await serve(undefined, { log })}/?run=long`);
    await page.getByRole("button", { name: "Replay" }).click();
    await slider(page).waitFor();
    await slider(page).fill("99999");
    await at(page, 99_999);
    for (const seq of [500, 60_000, 59_999, 3]) {
      await slider(page).fill(`${seq}`);
      await at(page, seq);
    }
    expect(await slider(page).getAttribute("aria-valuetext")).toContain("text-start");
  });

  test("a link with a token shows the run live to a second user, read-only", async () => {
    const url = await serve(undefined, { key: "a-long-enough-key" });
    const page = await open(url);
    await page.locator("input").and(page.getByLabel(/key/i)).first().fill("a-long-enough-key");
    await page.keyboard.press("Enter");
    await send(page, "Send the report, but ask for my approval first");
    await page.getByRole("article", { name: "Agent" }).getByRole("button", { name: "Deny" }).waitFor();
    await page.getByRole("button", { name: "Share" }).click();
    const share = page.getByRole("dialog", { name: "Share this run" });
    await share.getByRole("combobox", { name: "Expires after" }).selectOption("1 hour");
    await share.getByRole("button", { name: "Create link" }).click();
    const link = await share.getByRole("textbox", { name: "Link to this run" }).inputValue();
    expect(await violations(page)).toEqual([]);
    await share.getByRole("button", { name: "Close" }).click();
    const guest = await open(link);
    await guest.getByText("This link is read-only").waitFor();
    await guest
      .getByText(/send_report/)
      .first()
      .waitFor();
    for (const name of ["Allow", "Deny", "Stop", "Share"])
      expect(await guest.getByRole("button", { name, exact: true }).count()).toBe(0);
    expect(await violations(guest)).toEqual([]);
    await page.getByRole("article", { name: "Agent" }).getByRole("button", { name: "Deny" }).click();
    await ended(guest);
    await guest
      .getByText(/denied/i)
      .first()
      .waitFor();
    const wrong = await open(link.replace(/token=.*/, "token=rct_wrong"));
    await wrong.getByRole("alert").waitFor();
  });

  test("a link may let others answer, and works until it is revoked in the list", async () => {
    const url = await serve();
    const page = await open(url);
    await send(page, "Send the report, but ask for my approval first");
    await page.getByRole("article", { name: "Agent" }).getByRole("button", { name: "Deny" }).waitFor();
    await page.getByRole("button", { name: "Share" }).click();
    const share = page.getByRole("dialog", { name: "Share this run" });
    await share.getByRole("checkbox", { name: /answer/ }).check();
    await share.getByRole("button", { name: "Create link" }).click();
    const link = await share.getByRole("textbox", { name: "Link to this run" }).inputValue();
    const list = share.getByRole("region", { name: "Active links" });
    await list.getByText("Watch and answer").waitFor();
    expect(await violations(page)).toEqual([]);
    const guest = await open(link);
    await guest.getByText("With this link, you can watch this run and answer its questions.").waitFor();
    await guest.getByRole("button", { name: "Deny" }).first().click();
    await ended(guest);
    expect(await guest.getByRole("button", { name: /^(Stop|Share)$/ }).count()).toBe(0);
    await list.getByRole("button", { name: /^Revoke/ }).click();
    await list.waitFor({ state: "detached" });
    const late = await open(link);
    await late.getByRole("alert").waitFor();
    expect(await late.getByRole("alert").innerText()).toMatch(/expired or was revoked/);
  });
});
