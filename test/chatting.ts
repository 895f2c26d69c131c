import type { Page } from "playwright-core";

export const composer = (page: Page) => page.getByRole("textbox", { name: "Message the agent" });

/** Sends a message as a user does. */
export const send = async (page: Page, message: string): Promise<void> => {
  await composer(page).fill(message);
  await composer(page).press("Enter");
};

/** The end of the last displayed run. An earlier run's end does not count, even while the last one has not started. */
export const ended = async (page: Page, outcome?: string): Promise<void> => {
  const end = outcome === undefined ? "[data-run-end]:not([data-run-end=running])" : `[data-run-end=${outcome}]`;
  await page.locator("main :is(article[aria-label=Agent], [data-run])").last().locator(end).waitFor();
};
