import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import type { ChatPage } from "./chat-page.ts";

const directory = path.join(import.meta.dirname, "../../../docs/pictures/open-webui");
const MARGIN = 24;

/** Takes a screenshot for the guide, if requested: only of the newest version, which most people will see. */
export const pictureOf = async (page: Page, name: string, end?: number): Promise<void> => {
  if (process.env.RUNCAST_PICTURES !== "1" || process.env.RUNCAST_OPEN_WEBUI !== "newest") return;
  mkdirSync(directory, { recursive: true });
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  await page.screenshot({
    path: path.join(directory, `${name}.png`),
    animations: "disabled",
    clip: { x: 0, y: 0, width, height: Math.min(height, end ?? height) },
  });
};

/** A screenshot of the chat down to the end of the answer, or of the whole page. */
export const picture = async (
  { page, answer }: ChatPage,
  name: string,
  { isWhole = false }: { readonly isWhole?: boolean } = {},
): Promise<void> => {
  const box = isWhole ? null : await answer.boundingBox();
  await pictureOf(page, name, box ? box.y + box.height + MARGIN : undefined);
};
