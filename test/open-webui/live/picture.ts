import { mkdirSync } from "node:fs";
import path from "node:path";
import type { ChatPage } from "./chat-page.ts";

const directory = path.join(import.meta.dirname, "../../../docs/pictures/open-webui");
const MARGIN = 24;

/** Takes a picture for the guide, if pictures are asked for: of the newest version, as that is what most people will see. */
export const picture = async (
  { page, answer }: ChatPage,
  name: string,
  { isWhole = false }: { readonly isWhole?: boolean } = {},
): Promise<void> => {
  if (process.env.RUNCAST_PICTURES !== "1" || process.env.RUNCAST_OPEN_WEBUI !== "newest") return;
  mkdirSync(directory, { recursive: true });
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  const box = await answer.boundingBox();
  const end = isWhole || !box ? height : Math.min(height, box.y + box.height + MARGIN);
  await page.screenshot({
    path: path.join(directory, `${name}.png`),
    animations: "disabled",
    clip: { x: 0, y: 0, width, height: end },
  });
};
