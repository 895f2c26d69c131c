import type { CDPSession, Page } from "playwright-core";

/**
 * From the beginning of the navigation until a user can use the board, in milliseconds: rows fill the screen, those of
 * runs in progress have their buttons, the number of runs in progress is known, and all of it is painted.
 */
export const openBoard = async (page: Page, url: string): Promise<number> => {
  await page.goto(`${url}/?board=1`);
  await page.waitForFunction(() => "openedAt" in window);
  return await page.evaluate(() => (window as unknown as { openedAt: number }).openedAt);
};

/** Call before the page is opened. */
export const noteOpening = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const isOpen = (): boolean =>
      document.querySelectorAll("[data-row]").length >= 10 &&
      [...document.querySelectorAll("[data-row] button")].filter((button) => button.textContent === "Stop").length >=
        10 &&
      [...document.querySelectorAll("[role=status]")].some(({ textContent }) => /\d+ working/.test(textContent ?? ""));
    new MutationObserver((_, observer) => {
      if (!isOpen()) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => Object.assign(window, { openedAt: performance.now() })));
    }).observe(document, { childList: true, subtree: true, characterData: true });
  });

/** From choosing a state until only rows in that state are visible, in milliseconds. */
export const filterBoard = async (page: Page): Promise<number> => {
  const begun = performance.now();
  await page.getByLabel("State").selectOption("error");
  await page.waitForFunction(() => {
    const rows = [...document.querySelectorAll("[data-row]")];
    return rows.length >= 10 && rows.every(({ textContent }) => textContent?.includes("quota is used up"));
  });
  const took = performance.now() - begun;
  await page.getByLabel("State").selectOption("");
  return took;
};

/** From the last key until one of the oldest runs is found, in milliseconds. */
export const searchBoard = async (page: Page): Promise<number> => {
  await page.getByLabel("Search runs").fill("Run 7:");
  const begun = performance.now();
  // A locator would be looked up at growing intervals.
  await page.waitForFunction(() =>
    [...document.querySelectorAll("[data-row-link]")].some(({ textContent }) => textContent?.startsWith("Run 7:")),
  );
  const took = performance.now() - begun;
  await page.getByLabel("Search runs").fill("");
  return took;
};

/** What a user does: scrolls far down and back, searches, filters, and looks at all of them again. */
export const useBoard = async (page: Page): Promise<void> => {
  const box = page.getByRole("list", { name: "Runs" }).locator("..");
  for (let turn = 0; turn < 40; turn++) {
    await box.evaluate((element) => element.scrollBy(0, 3000));
    await page.waitForTimeout(100);
  }
  await box.evaluate((element) => element.scrollTo(0, 0));
  await page.getByLabel("Search runs").fill("week 17");
  await page
    .getByRole("link", { name: /week 17/ })
    .first()
    .waitFor();
  await page.getByLabel("Search runs").fill("");
  for (const state of ["waiting", "open", "error", ""]) {
    await page.getByLabel("State").selectOption(state);
    await page.waitForTimeout(1500);
  }
};

export const heapOf = async (session: CDPSession): Promise<number> => {
  await session.send("HeapProfiler.collectGarbage");
  return (await session.send("Runtime.getHeapUsage")).usedSize;
};

/** Runs in the page. */
export const readPolls = (): { count: number; bytes: number; p99: number } => {
  const polls = (performance.getEntriesByType("resource") as PerformanceResourceTiming[]).filter(({ name }) =>
    new URL(name).pathname.endsWith("/changes"),
  );
  const took = polls.map(({ duration }) => duration).sort((one, other) => one - other);
  const bytes = polls.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  return { count: polls.length, bytes, p99: took[Math.floor(took.length * 0.99)] ?? 0 };
};
