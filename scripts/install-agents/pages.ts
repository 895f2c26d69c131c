import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { homeOf } from "./agents.ts";

/** A sample page with packages of its own, which are too large for everyone's `npm install`. */
export interface ExamplePage {
  readonly name: string;
  /** Its folder, with the lock file of its packages. */
  readonly folder: string;
}

const examples = path.join(import.meta.dirname, "../../examples");

export const pages: readonly ExamplePage[] = [{ name: "copilotkit-page", folder: path.join(examples, "copilotkit") }];

/** A copy of the lock file, written when its packages are installed. */
export const lockOf = (page: ExamplePage): string => path.join(homeOf(page), "installed.json");

/** Whether the packages of the page's lock file are installed outside the checkout. */
export const isInstalled = (page: ExamplePage): boolean =>
  existsSync(lockOf(page)) &&
  readFileSync(lockOf(page), "utf8") === readFileSync(path.join(page.folder, "package-lock.json"), "utf8");
