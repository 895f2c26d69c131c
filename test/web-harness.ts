import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { page } from "../src/page.ts";
import type { Page } from "../src/server.ts";

const root = path.join(import.meta.dirname, "..");

/** One of the small pages in web/harness, built and served as the whole page is, under the same policy. */
export const harness = (name: string): Page => {
  const directory = path.join(tmpdir(), `runcast-harness-${name}-${process.pid}`);
  mkdirSync(directory, { recursive: true });
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      path.join(root, "node_modules/vite/bin/vite.js"),
      "build",
      path.join(root, "web"),
      "--config",
      path.join(root, "web/harness/vite.config.ts"),
      "--logLevel",
      "warn",
    ],
    {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, NODE_ENV: "production", HARNESS: name, HARNESS_DIRECTORY: directory },
    },
  );
  if (status !== 0) throw new Error(`the harness could not be built\n${stdout}${stderr}`);
  const assets = readdirSync(path.join(directory, "assets"));
  const tags = assets.map((file) =>
    file.endsWith(".css")
      ? `<link rel="stylesheet" href="./assets/${file}">`
      : file.startsWith("main") && file.endsWith(".js")
        ? `<script type="module" src="./assets/${file}"></script>`
        : "",
  );
  writeFileSync(
    path.join(directory, "index.html"),
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Runs</title><link rel="icon" href="data:,">${tags.join("")}</head><body><div id="root"></div></body></html>`,
  );
  return page(directory)!;
};
