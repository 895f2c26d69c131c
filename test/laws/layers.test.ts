import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { cycleIn, importsIn } from "./source-imports.ts";

const source = path.join(import.meta.dirname, "../../src");

const imports = importsIn(source);
const files = [...imports.keys()];
const local = (file: string) => imports.get(file)!.filter(({ target, lazy }) => target.endsWith(".ts") && !lazy);

/** The main file of a private part: `runner/close.ts` → `runner.ts`, `logs/sqlite/tail.ts` → `logs/sqlite.ts`. */
const ownerOf = (file: string): string => {
  const directory = path.posix.dirname(file);
  if (directory === "." || files.includes(file) === false) return file;
  return files.includes(`${directory}.ts`) ? ownerOf(`${directory}.ts`) : file;
};

const VARIANTS = ["tools", "sources", "models", "logs", "dialects"];
const CONTRACTS = [
  "events.ts",
  "protocol.ts",
  "ids.ts",
  "prices.ts",
  "json.ts",
  "json-schema.ts",
  "verify.ts",
  "state.ts",
  "source.ts",
  "log.ts",
  "records.ts",
  "tool.ts",
  "dialect.ts",
  "segments.ts",
];
/** Code shared by several variants has its own folder: `dialects/openai/…`, without a `dialects/openai.ts`. */
const isFamily = (file: string) => ownerOf(file) === file && file.split("/").length > 2;
const isVariant = (file: string) => VARIANTS.includes(ownerOf(file).split("/")[0]!) && ownerOf(file).includes("/");

/** Small files that every layer may import. */
const EVERYWHERE = ["protocol.ts", "timer.ts", "stray-errors.ts", "id-fields.ts", "message-of.ts", "run-id.ts"];

/** Which of our files each layer may import, in addition to its own private parts. */
const ALLOWED: Record<string, (target: string) => boolean> = {
  "events.ts": (target) => target === "protocol.ts",
  "protocol.ts": (target) => target === "events.ts",
  "ids.ts": (target) => target === "events.ts",
  "json.ts": (target) => target === "events.ts",
  "json-schema.ts": (target) => target === "events.ts",
  "verify.ts": (target) => ["events.ts", "protocol.ts"].includes(target),
  "diff.ts": (target) => ["events.ts", "json.ts"].includes(target),
  "segments.ts": (target) => ["events.ts", "verify.ts"].includes(target),
  "state.ts": (target) => ["events.ts", "json.ts"].includes(target),
  "prices.ts": (target) => target === "events.ts",
  "run-models.ts": (target) => target === "events.ts",
  "source.ts": (target) => ["events.ts", "prices.ts", "state.ts"].includes(target),
  "log.ts": (target) => ["events.ts", "records.ts"].includes(target),
  "records.ts": (target) => target === "events.ts",
  "tool.ts": (target) => ["events.ts", "source.ts"].includes(target),
  "dialect.ts": (target) => ["events.ts", "source.ts"].includes(target),
  "sse.ts": (target) => ["events.ts", "dialect.ts"].includes(target),
  "wire.ts": (target) => ["events.ts", "json.ts", "source.ts", "sse.ts", "dialect.ts"].includes(target),
  "client.ts": (target) => ["events.ts", "json.ts", "state.ts", "sse.ts", "wire.ts", "dialect.ts"].includes(target),
  "replay.ts": (target) => ["events.ts", "state.ts"].includes(target),
  "markdown.ts": () => false,
  "view.ts": (target) =>
    ["client.ts", "diff.ts", "events.ts", "json.ts", "markdown.ts", "protocol.ts", "state.ts"].includes(target),
  "element.ts": (target) =>
    ["client.ts", "events.ts", "markdown.ts", "replay.ts", "state.ts", "view.ts"].includes(target),
  "html-export.ts": (target) =>
    ["events.ts", "json.ts", "log.ts", "redaction.ts", "source.ts", "view.ts"].includes(target),
  "react.ts": (target) => ["client.ts", "markdown.ts", "state.ts"].includes(target),
  "batch.ts": () => false,
  "event-queue.ts": (target) => target === "events.ts",
  "message-of.ts": () => false,
  "run-id.ts": () => false,
  "runner.ts": (target) => [...CONTRACTS, "batch.ts", "event-queue.ts", "run-models.ts"].includes(target),
  "access.ts": (target) => target === "events.ts",
  "traces.ts": (target) => target === "events.ts",
  "json-lines.ts": (target) => ["events.ts", "runner.ts"].includes(target),
  "redaction.ts": (target) => ["events.ts", "json.ts", "source.ts"].includes(target),
  "server.ts": (target) =>
    [
      ...CONTRACTS,
      "access.ts",
      "archive.ts",
      "batch.ts",
      "html-export.ts",
      "run-models.ts",
      "runner.ts",
      "sse.ts",
      "traces.ts",
    ].includes(target),
  "logs/": (target) => CONTRACTS.includes(target),
  "dialects/": (target) =>
    [
      "events.ts",
      "json.ts",
      "diff.ts",
      "segments.ts",
      "source.ts",
      "log.ts",
      "tool.ts",
      "wire.ts",
      "dialect.ts",
    ].includes(target) || isFamily(target),
  // A source for another server's frames reads them as any client does.
  "sources/": (target) =>
    [
      ...CONTRACTS,
      "sse.ts",
      "did-you-mean.ts",
      "event-queue.ts",
      "http-answer.ts",
      "strict-fields.ts",
      "process-tree.ts",
    ].includes(target) || isFamily(target),
  // It acts as a client of several dialects, and includes an agent.
  "torture.ts": (target) =>
    [...CONTRACTS, "sse.ts", "wire.ts", "models/provider.ts", "sources/agent.ts"].includes(target) ||
    ["native", "ai-sdk", "ag-ui", "copilotkit"].some((name) => target === `dialects/${name}.ts`),
  "models/": (target) => [...CONTRACTS, "sse.ts"].includes(target) || target === "sources/agent.ts",
  // Entry points may import everything.
  "assistant.ts": () => true,
  "cli.ts": () => true,
  "config.ts": () => true,
  "index.ts": () => true,
  "page.ts": () => true,
  "id-fields.ts": () => false,
  "stray-errors.ts": () => false,
  "timer.ts": () => false,
  "addresses.ts": () => false,
  "archive.ts": () => false,
  "did-you-mean.ts": () => false,
  "strict-fields.ts": (target) => target === "did-you-mean.ts",
  "process-tree.ts": () => false,
  "http-answer.ts": (target) => ["events.ts", "json.ts", "tool.ts"].includes(target),
  "tools/": (target) => [...CONTRACTS, "addresses.ts", "http-answer.ts", "process-tree.ts"].includes(target),
};

describe("layers", () => {
  test.each(files)("%s imports only what its layer allows", (file) => {
    const owner = ownerOf(file);
    const rule = ALLOWED[owner] ?? ALLOWED[`${owner.split("/")[0]}/`];
    expect(rule, `${owner} has no rule in ALLOWED`).toBeDefined();
    for (const { target } of local(file)) {
      if (ownerOf(target) === owner || EVERYWHERE.includes(target)) continue;
      expect(rule!(target), `${file} imports ${target}`).toBe(true);
    }
  });

  test.each(files)("%s imports no private parts of others", (file) => {
    for (const { target } of local(file)) {
      const owner = ownerOf(target);
      if (owner === target) continue;
      expect(ownerOf(file), `${file} imports ${target}`).toBe(owner);
    }
  });

  test("the client and its imports run in a browser", () => {
    const reached = new Set<string>();
    const reach = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const { target, typeOnly, lazy } of imports.get(file)!) {
        if (typeOnly || lazy) continue;
        expect(target.startsWith("node:"), `${file} imports ${target}`).toBe(false);
        if (target.endsWith(".ts")) reach(target);
      }
    };
    for (const file of [
      "client.ts",
      "json.ts",
      "sse.ts",
      "wire.ts",
      "state.ts",
      "replay.ts",
      "markdown.ts",
      "view.ts",
      "element.ts",
    ])
      reach(file);
    expect(reached.has("events.ts"), "the client loads the schema library").toBe(false);
  });

  test("there are no import cycles", () => {
    expect(cycleIn(imports)).toBeUndefined();
  });

  test("shared code never names a variant", () => {
    // "agent" is part of the vocabulary as well as a source's name, and "http" is also used by OpenAPI.
    const variants = files.filter(
      (file) =>
        isVariant(file) &&
        !isFamily(file) &&
        file !== "sources/agent.ts" &&
        file !== "sources/http.ts" &&
        ownerOf(file) === file &&
        !file.startsWith("tools/") &&
        !file.startsWith("models/"),
    );
    const shared = files.filter((file) =>
      /^(runner|server|client|sse|state|verify|log|dialect|source)(\.ts|\/)/.test(file),
    );
    for (const variant of variants) {
      const name = path.posix.basename(variant, ".ts");
      for (const file of shared) {
        expect(readFileSync(path.join(source, file), "utf8"), `${file} names the variant ${name}`).not.toMatch(
          new RegExp(`["'\`]${name}["'\`]`),
        );
      }
    }
  });

  test("no file exceeds 300 lines, no test 400", () => {
    for (const file of files) expect(lines(path.join(source, file)), file).toBeLessThanOrEqual(300);
    const pipe = path.join(source, "../pipe");
    for (const file of readdirSync(pipe))
      if (file.endsWith(".py")) expect(lines(path.join(pipe, file)), `pipe/${file}`).toBeLessThanOrEqual(300);
    const tests = path.join(import.meta.dirname, "..");
    for (const file of readdirSync(tests, { recursive: true, encoding: "utf8" })) {
      if (file.endsWith(".ts")) expect(lines(path.join(tests, file)), `test/${file}`).toBeLessThanOrEqual(400);
    }
  });

  test("files have named exports only, and there are no utility drawers", () => {
    for (const file of files) {
      expect(readFileSync(path.join(source, file), "utf8"), file).not.toMatch(/^export default/m);
      expect(path.posix.basename(file), file).toMatch(/^(?!utils|helpers|common|types)[a-z0-9]+(-[a-z0-9]+)*\.ts$/);
    }
  });
});

const lines = (file: string): number => readFileSync(file, "utf8").split("\n").length - 1;
