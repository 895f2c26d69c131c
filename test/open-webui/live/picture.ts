import { mkdirSync } from "node:fs";
import path from "node:path";
import type { ChatPage } from "./chat-page.ts";

const directory = path.join(import.meta.dirname, "../../../docs/pictures/open-webui");

/** Takes a picture for the guide, if pictures are asked for: of the newest version, as what it shows is what people will see. */
export const picture = async ({ page }: ChatPage, name: string): Promise<void> => {
  if (process.env.RUNCAST_PICTURES !== "1") return;
  const where = process.env.RUNCAST_OPEN_WEBUI === "newest" ? directory : path.join(directory, "..", "open-webui-old");
  mkdirSync(where, { recursive: true });
  await page.screenshot({ path: path.join(where, `${name}.png`), animations: "disabled" });
};
