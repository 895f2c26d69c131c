import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";

const root = path.join(import.meta.dirname, "../..");
const directory = mkdtempSync(path.join(tmpdir(), "runcast-docs-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const DOCUMENTS = ["README.md", "docs/tools.md", "docs/models.md", "docs/embedding.md"];
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

/** A block marked `ts context` is the body of a tool's `run`. */
const asModule = (kind: string, code: string): string =>
  kind === "context"
    ? `import type { ToolContext } from "runcast/tool";\nexport const run = async (context: ToolContext): Promise<unknown> => {\n${code}\nreturn;\n};\n`
    : `${code}\nexport {};\n`;

test("the code in the documents has the types it seems to have", () => {
  const names: string[] = [];
  for (const document of DOCUMENTS) {
    const text = read(document);
    for (const { 0: all, 1: kind = "", 2: code = "", index } of text.matchAll(/^```ts ?(\w*)\n(.*?)^```$/gms)) {
      const line = text.slice(0, index).split("\n").length;
      // A block of `tsx`: what follows `ts` is its kind.
      const name = `${path.basename(document, ".md")}-line-${line}.${kind === "x" ? "tsx" : "ts"}`;
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
  expect(members.filter((member) => !shown.includes(`context.${member}`))).toEqual([]);
});
