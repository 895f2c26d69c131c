import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dialectsDocument } from "../../scripts/dialects/document.ts";
import { dialects } from "../../src/config/dialects.ts";
import { EVENT_TYPES } from "../../src/events.ts";
import { demoStories } from "../../src/models/demo.ts";
import { serve, silent } from "../serving.ts";

const root = path.join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
const documents = [
  ...readdirSync(root).filter((file) => file.endsWith(".md")),
  ...readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
];
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };

/** The anchors that GitHub gives to the headings of a document. */
const anchorsOf = (text: string): readonly string[] =>
  [...text.replaceAll(/^```[^]*?^```$/gm, "").matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );

describe.each(documents)("%s", (document) => {
  const text = read(document);

  test("names only existing files", () => {
    const named = [
      ...text.matchAll(/`((?:src|test|scripts|bench|docs|golden|conformance|examples|web|pipe)\/[\w./*<>-]+)`/g),
    ].map(([, file]) => file!);
    for (const file of named) if (!/[*<]/.test(file)) expect(existsSync(path.join(root, file)), file).toBe(true);
    for (const [, target] of text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
      expect(existsSync(path.join(root, path.dirname(document), target!)), target).toBe(true);
    }
    for (const [, source] of text.matchAll(/(?:src|srcset)="(?!https:|\$\{)([^"]+)"/g))
      expect(existsSync(path.join(root, path.dirname(document), source!)), source).toBe(true);
  });

  test("links only to existing headings", () => {
    const links = [...text.matchAll(/\]\(([^)#:]*)#([^)]+)\)/g)].map(([, target, anchor]) => ({
      anchor: anchor!,
      file: target === "" ? document : path.join(path.dirname(document), target!),
    }));
    expect(links.filter(({ file, anchor }) => !anchorsOf(read(file)).includes(anchor))).toEqual([]);
  });

  test("names only existing commands", () => {
    for (const [, script] of text.matchAll(/npm run (?:--silent )?([\w:-]+)/g))
      expect(Object.keys(scripts)).toContain(script);
  });
});

test("README has fewer than 130 lines and links every guide, and so does the reference page of each guide's subject", () => {
  const readme = read("README.md");
  expect(readme.trimEnd().split("\n").length).toBeLessThan(130);
  const guides = readdirSync(path.join(root, "docs/guides"));
  expect(guides.filter((guide) => !readme.includes(`(docs/guides/${guide})`))).toEqual([]);
  const references = documents.filter((document) => /^docs\/[^/]+$/.test(document)).map(read);
  expect(guides.filter((guide) => !references.some((text) => text.includes(`(guides/${guide})`)))).toEqual([]);
});

test("CHANGELOG.md has a section for each version, the newest first, and one for this version", () => {
  const { version } = JSON.parse(read("package.json")) as { version: string };
  const titles = [...read("CHANGELOG.md").matchAll(/^## (.*)$/gm)].map(([, title]) => title!);
  for (const title of titles) expect(title).toMatch(/^\d+\.\d+\.\d+ \((unreleased|\d{4}-\d\d-\d\d)\)$/);
  const versions = titles.map((title) => title.split(" ")[0]!);
  expect(versions[0]).toBe(version);
  expect(versions).toEqual(versions.toSorted((a, b) => b.localeCompare(a, "en", { numeric: true })));
  expect(new Set(versions).size).toBe(versions.length);
});

test("every test is named in docs/features.md, or is a law", () => {
  const features = read("docs/features.md");
  const tests = readdirSync(path.join(root, "test"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".test.ts"),
  );
  expect(tests.filter((file) => !features.includes(`test/${file}`))).toEqual([]);
});

test("docs/open-webui.md lists the valves of the pipe with their defaults", () => {
  const written = (value: string) => ({ '""': "", True: "on", False: "off" })[value] ?? value.replaceAll('"', "`");
  const valves = /class Valves\b[^]*?class UserValves/.exec(read("pipe/runcast_pipe.py"))![0];
  const own = [...valves.matchAll(/^ {8}([A-Z_]+): \w+ = (?:Field\(([^,]+),|_style_field)/gm)].map(
    ([, name, value]) => [name!, value === undefined ? undefined : written(value)] as const,
  );
  const table = read("docs/open-webui.md").matchAll(/^\| `([A-Z_]+)` \| [^|]+ \|([^|]*)\|$/gm);
  const listed = new Map([...table].map(([, name, value]) => [name!, value!.trim()]));
  expect(own.length).toBeGreaterThan(5);
  expect([...listed.keys()]).toEqual(own.map(([name]) => name));
  for (const [name, value] of own) if (value !== undefined) expect(listed.get(name), name).toBe(value);
});

test("docs/open-webui.md explains where to set the function-calling mode, for everyone and for one chat", () => {
  const text = read("docs/open-webui.md").replaceAll(/\s+/g, " ");
  expect(text).toContain("*Settings → Models* (in the *Admin* section) → the agent");
  expect(text).toContain("*Advanced Params → Function Calling* for everyone");
  expect(text).toContain("*Controls → Advanced Params → Function Calling*");
});

test("PROTOCOL.md lists every event", () => {
  const protocol = read("PROTOCOL.md");
  for (const type of EVENT_TYPES) expect(protocol, type).toContain(`\`${type}\``);
});

test("PROTOCOL.md lists every path of a server", async () => {
  const { url } = await serve(silent);
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, unknown> };
  expect(Object.keys(paths).length).toBeGreaterThan(15);
  const [, table = ""] = /^## HTTP\n(.*?)^## /ms.exec(read("PROTOCOL.md")) ?? [];
  const listed = new Set([...table.matchAll(/`(?:GET |POST |DELETE )?(\/[^`?]*)/g)].map(([, listed]) => listed));
  expect(Object.keys(paths).filter((path) => !listed.has(path.replaceAll(/\{(\w+)\}/g, ":$1")))).toEqual([]);
});

test("docs/features.md lists every story of the demo", () => {
  const features = read("docs/features.md");
  for (const { name, message } of demoStories) expect(features).toContain(`| ${name} | ${message} |`);
});

test("docs/dialects.md equals the output of `npm run docs`", () => {
  expect(read("docs/dialects.md")).toBe(dialectsDocument(dialects));
});
