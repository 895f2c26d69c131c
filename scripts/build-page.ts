// Builds the page into dist/web if it is missing or older than its sources. `npm start` and the tests run this first.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { messageOf } from "../src/message-of.ts";

const root = path.join(import.meta.dirname, "..");
const built = path.join(root, "dist/web/element.js");

const newest = (place: string): number =>
  Math.max(
    ...readdirSync(path.join(root, place), { recursive: true, encoding: "utf8" })
      .filter((file) => !file.includes("node_modules"))
      .map((file) => statSync(path.join(root, place, file)).mtimeMs),
  );

const isStale = (): boolean => {
  if (!existsSync(built)) return true;
  const { mtimeMs } = statSync(built);
  return (
    newest("web") > mtimeMs || newest("src") > mtimeMs || statSync(path.join(root, "package.json")).mtimeMs > mtimeMs
  );
};

/** Throws Vite's output if the build fails. `directory` overrides the output directory. */
export const buildPage = (directory?: string): void => {
  const place = directory === undefined ? [] : ["--outDir", directory];
  const vite = path.join(root, "node_modules/vite/bin/vite.js");
  // The page build empties the directory, then the element is added.
  for (const config of ["web/vite.config.ts", "web/element.config.ts"]) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [vite, "build", path.join(root, "web"), "--config", path.join(root, config), "--logLevel", "warn", ...place],
      // Always a production build, whatever NODE_ENV this process has.
      { cwd: root, encoding: "utf8", env: { ...process.env, NODE_ENV: "production" } },
    );
    if (status !== 0) throw new Error(`the page could not be built\n${stdout}${stderr}`);
  }
};

export const buildPageIfStale = (): void => {
  if (isStale()) buildPage();
};

if (process.argv[1] === import.meta.filename) {
  try {
    buildPageIfStale();
  } catch (error) {
    // The server also works without the page. `/` then returns a message about it.
    console.error(`runcast: ${messageOf(error)}`);
  }
}
