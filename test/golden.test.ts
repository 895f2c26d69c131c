import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { extraStories } from "../scripts/golden/stories.ts";
import { streamOf } from "../scripts/golden/streams.ts";
import { tree } from "../scripts/golden/tree.ts";
import { dialects } from "../src/config/dialects.ts";
import { type Entry, entrySchema } from "../src/events.ts";
import { demoStories } from "../src/models/demo.ts";
import { createState, fold } from "../src/state.ts";
import { verify } from "../src/verify.ts";

const directory = path.join(import.meta.dirname, "../golden/runs");
const files = readdirSync(directory);
const read = (file: string): Entry[] =>
  readFileSync(path.join(directory, file), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const protocol = readFileSync(path.join(import.meta.dirname, "../PROTOCOL.md"), "utf8");

describe("golden runs", () => {
  test.each(files)("%s is a grammatical run of valid events, documented in PROTOCOL.md", (file) => {
    const entries = read(file);
    expect(verify(entries)).toBeUndefined();
    for (const entry of entries) expect(entrySchema.safeParse(entry).error).toBeUndefined();
    const state = createState();
    for (const entry of entries) fold(state, entry);
    expect(state.outcome).toBeDefined();
    expect(protocol).toContain(`golden/runs/${file}`);
    expect(protocol).toContain(tree(entries));
  });

  test.each(files)("the frames of %s in each dialect are in golden/dialects", (file) => {
    const entries = read(file);
    for (const dialect of dialects) {
      const stream = path.join(directory, "../dialects", dialect.name, file.replace(/jsonl$/, "sse"));
      expect(streamOf(dialect, entries), `${dialect.name}: npm run golden`).toBe(readFileSync(stream, "utf8"));
    }
  });

  test("there is one for every story", () => {
    const stories = [...[...demoStories, ...extraStories].map(({ name }) => name), "everything", "crash"];
    expect(files.toSorted()).toEqual(stories.map((name) => `${name.replaceAll(" ", "-")}.jsonl`).toSorted());
  });
});
