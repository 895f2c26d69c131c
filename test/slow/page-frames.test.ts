import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, ended, send } from "../browsing.ts";

const TOKENS = 300;
/** As in `web/src/kit/beat.ts`. */
const BEAT_MS = 50;

/** Text with several tokens per beat. */
const fast: Source = async function* () {
  yield { type: "step-start", step: "s" };
  yield { type: "text-start", part: "p" };
  for (let token = 0; token < TOKENS; token++) {
    yield { type: "text-delta", part: "p", delta: token % 20 === 19 ? `end ${token}.\n\n` : "word " };
    await wait(5);
  }
  yield { type: "text-end", part: "p" };
  yield { type: "step-end", step: "s", finish: "stop" };
};

/** Runs in the page: notes when a text changes. */
const noteChanges = (): void => {
  const times: number[] = [];
  Object.assign(window, { times });
  const isText = ({ target }: MutationRecord): boolean =>
    (target instanceof Element ? target : target.parentElement)?.closest(".markdown") !== null;
  new MutationObserver((records) => {
    if (records.some(isText)) times.push(performance.now());
  }).observe(document, { childList: true, characterData: true, subtree: true });
};

describeInBrowser("a fast stream", ({ serve, open }: Browsing) => {
  test("changes the page at most once per beat", async () => {
    const page = await open(await serve(fast));
    await page.evaluate(noteChanges);
    await send(page, "Begin");
    await ended(page, "done");
    expect(await page.locator(".markdown p").count()).toBe(TOKENS / 20);
    const times = await page.evaluate(() => (window as unknown as { times: number[] }).times);
    // After the first two, each change follows a pause. A slow machine has fewer changes, never more.
    expect(times.length).toBeGreaterThan(2);
    expect(times.length).toBeLessThanOrEqual((times.at(-1)! - times[0]!) / (BEAT_MS - 1) + 2);
  });
});
