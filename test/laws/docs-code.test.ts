import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Config, checkConfig } from "../../src/config.ts";
import { configSchema } from "../../src/config/schema.ts";
import { play } from "../running.ts";

const root = path.join(import.meta.dirname, "../..");
const directory = mkdtempSync(path.join(tmpdir(), "runcast-docs-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const DOCUMENTS = [
  "README.md",
  ...readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
];
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

/** A block marked `ts context` is the body of a tool's `run`. */
const asModule = (kind: string, code: string): string =>
  kind === "context"
    ? `import type { ToolContext } from "runcast/tool";\nexport const run = async (context: ToolContext): Promise<unknown> => {\n${code}\nreturn;\n};\n`
    : `${code}\nexport {};\n`;

test("the code in the documents compiles with the documented types", () => {
  const names: string[] = [];
  for (const document of DOCUMENTS) {
    const text = read(document);
    for (const { 0: all, 1: kind = "", 2: code = "", index } of text.matchAll(/^```ts ?(\w*)\n(.*?)^```$/gms)) {
      const line = text.slice(0, index).split("\n").length;
      // For a `tsx` block, the pattern captures `x` as the kind.
      const name = `${document.replaceAll(/\W/g, "-")}-line-${line}.${kind === "x" ? "tsx" : "ts"}`;
      expect(all).toContain(code);
      writeFileSync(path.join(directory, name), asModule(kind, code));
      names.push(name);
    }
  }
  expect(names.length).toBeGreaterThan(20);
  symlinkSync(path.join(root, "node_modules"), path.join(directory, "node_modules"));
  const paths = { runcast: [`${root}/src/index.ts`], "runcast/*": [`${root}/src/*.ts`] };
  const config = {
    extends: `${root}/tsconfig.json`,
    compilerOptions: {
      paths,
      jsx: "react-jsx",
      allowUnreachableCode: true,
      typeRoots: [`${root}/node_modules/@types`],
    },
    include: ["*.ts", "*.tsx"],
    exclude: [],
  };
  writeFileSync(path.join(directory, "tsconfig.json"), JSON.stringify(config));
  writeFileSync(path.join(directory, "package.json"), JSON.stringify({ type: "module" }));
  let complaints = "";
  try {
    execFileSync(path.join(root, "node_modules/.bin/tsc"), ["-p", directory], { encoding: "utf8" });
  } catch (error) {
    complaints = (error as { stdout: string }).stdout;
  }
  expect(complaints).toBe("");
});

test("docs/tools.md shows every member of ToolContext", () => {
  const [, body = ""] = /export interface ToolContext \{(.*?)^\}/ms.exec(read("src/tool.ts")) ?? [];
  const members = [...body.matchAll(/^ {2}(?:readonly )?(\w+)[(:]/gm)].map(([, member]) => member!);
  expect(members.length).toBeGreaterThan(20);
  const shown = [...read("docs/tools.md").matchAll(/^```ts context\n(.*?)^```$/gms)].map(([, code]) => code).join("\n");
  expect(members.filter((member) => !new RegExp(`\\bcontext\\.${member}\\b`).test(shown))).toEqual([]);
});

/** A block marked `ts run` is a configuration. Each of its agents handles one request in a separate run. */
test("the sources in the documents run and follow the grammar", async () => {
  const blocks = DOCUMENTS.flatMap((document) => [...read(document).matchAll(/^```ts run\n(.*?)^```$/gms)]);
  const played: string[] = [];
  for (const [index, [, code = ""]] of blocks.entries()) {
    const file = path.join(directory, `run-${index}.ts`);
    const own = code.replaceAll(
      / from "runcast(?:\/([\w/-]+))?"/g,
      (_, part = "index") => ` from "${root}/src/${part}.ts"`,
    );
    writeFileSync(file, own);
    const { default: config } = (await import(file)) as { default: Config };
    for (const [name, source] of Object.entries(checkConfig(config, file).agents ?? {})) {
      const { events } = await play(source);
      played.push(name);
      expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
      expect(events.some(({ type }) => type === "text-delta")).toBe(true);
    }
  }
  expect(played).toEqual(["weather", "dice"]);
});

test("docs/configuration.md has a row for every setting, and no others", () => {
  const { jwt, limits, retention, ...single } = configSchema.shape;
  const under = (name: string, shape: object) => Object.keys(shape).map((key) => `${name}.${key}`);
  const settings = [
    ...under("jwt", jwt.unwrap().shape),
    ...under("limits", limits.unwrap().shape),
    ...under("retention", retention.unwrap().shape),
    ...Object.keys(single),
  ];
  const rows = [...read("docs/configuration.md").matchAll(/^\| `([\w.*]+)` \|(.*)\|$/gm)];
  expect(rows.map(([, name]) => name).toSorted()).toEqual(settings.toSorted());
  for (const [row, , cells = ""] of rows) expect(cells.split(" | "), row).toHaveLength(3);
});

test("docs/configuration.md shows every setting in its example", () => {
  const [, code = ""] = /^```ts\n(.*?)^```$/ms.exec(read("docs/configuration.md")) ?? [];
  for (const name of Object.keys(configSchema.shape)) expect(code).toContain(`\n  ${name}: `);
});

test("the examples import the package by its published names", () => {
  const { exports } = JSON.parse(read("package.json")) as { exports: Record<string, string> };
  const isPublished = (name: string): boolean =>
    Object.keys(exports).some((published) => path.matchesGlob(name.replace(/^runcast/, "."), published));
  const wrong = readdirSync(path.join(root, "examples"), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes("node_modules"))
    .flatMap((file) =>
      [...read(`examples/${file}`).matchAll(/from "([^"]+)"/g)]
        .map(([, name]) => name!)
        .filter((name) => (/^runcast(?:\/|$)/.test(name) ? !isPublished(name) : name.startsWith("../../")))
        .map((name) => `${file}: ${name}`),
    );
  expect(wrong).toEqual([]);
});
