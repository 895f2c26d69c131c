import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";

const isWanted = process.env.RUNCAST_PICTURES === "1";
const directory = path.join(import.meta.dirname, "../docs/pictures/front-ends");

/** How large a page is, sharp enough for a picture if one is wanted. */
export const PICTURE_VIEW = { viewport: { width: 800, height: 640 }, deviceScaleFactor: isWanted ? 2 : 1 };

/** Takes the screenshot of docs/front-ends.md, if requested with RUNCAST_PICTURES=1. */
export const frontEndPicture = async (page: Page, name: string, height = 640): Promise<void> => {
  if (!isWanted) return;
  mkdirSync(directory, { recursive: true });
  await page.screenshot({
    path: path.join(directory, `${name}.png`),
    animations: "disabled",
    clip: { x: 0, y: 0, width: 800, height },
  });
};
