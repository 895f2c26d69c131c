import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { files } from "../../src/tools/files.ts";
import { ToolResult } from "../../src/tool.ts";
import { callTool, recordingContext, textOf, toolNamed } from "./recording-context.ts";

let workspace: string;
beforeEach(() => {
  workspace = mkdtempSync(path.join(tmpdir(), "runcast-files-"));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const put = (name: string, content: string | Uint8Array): void => {
  mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
  writeFileSync(path.join(workspace, name), content);
};
const read = (name: string): string => readFileSync(path.join(workspace, name), "utf8");
const call = async (name: string, input: unknown, context = recordingContext(), options = {}): Promise<string> =>
  textOf(await callTool(toolNamed(files({ workspace, ...options }), name), input, context));

describe("read_file", () => {
  test("returns only the file's content", async () => {
    put("notes/a.md", "\uFEFFéins\r\nzwei\n");
    expect(await call("read_file", { path: "notes/a.md" })).toBe("\uFEFFéins\r\nzwei\n");
    expect(await call("read_file", { path: "./notes//a.md" })).toBe("\uFEFFéins\r\nzwei\n");
  });

  test("reads ranges, explains how to continue, and the pieces make up the whole", async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index + 1} ${"ü".repeat(index % 40)}`);
    put("long.txt", lines.join("\n"));
    const tool = toolNamed(files({ workspace, maxReadBytes: 10_000 }), "read_file");
    let whole = "";
    for (let offset: number | undefined = 1; offset;) {
      const result = await callTool(tool, { path: "long.txt", offset });
      if (!(result instanceof ToolResult)) throw new Error("expected parts");
      whole += (result.content[0] as { text: string }).text;
      const next = /Continue with offset (\d+)/.exec((result.content[1] as { text: string }).text);
      offset = next ? Number(next[1]) : undefined;
    }
    expect(whole).toBe(lines.join("\n"));
    expect(await call("read_file", { path: "long.txt", offset: 7, limit: 2 })).toMatch(
      /^line 7 .*\nline 8 .*\n\n\[Lines 7 to 8/,
    );
    await expect(call("read_file", { path: "long.txt", offset: 5001 })).rejects.toThrow(
      "no line 5001: the file has 5000 lines",
    );
  });

  test("truncates a line that is longer than the limit, between characters", async () => {
    put("one-line.json", "€".repeat(100_000));
    const result = await call("read_file", { path: "one-line.json" }, undefined, { maxReadBytes: 1000 });
    expect(result).toMatch(/^€{333}\n\[Line 1 is longer than 1000 bytes and was cut/);
  });

  test.each([
    ["a.png", Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1"), "a PNG image"],
    ["a.bin", Buffer.from([1, 2, 0, 3]), "binary data"],
    ["a.txt", Buffer.from("caf\xe9 latin", "latin1"), "not UTF-8"],
    ["b.txt", Buffer.from("\uFEFFhi", "utf16le"), "UTF-16 text"],
    ["a.pdf", Buffer.from("%PDF-1.7\n"), "a PDF document"],
  ])("refuses %s and names its type", async (name, bytes, kind) => {
    put(name, bytes);
    await expect(call("read_file", { path: name })).rejects.toThrow(kind);
    await expect(call("read_file", { path: name })).rejects.toThrow(`${bytes.length} bytes`);
  });

  test("reads the beginning of a 200 MB file without loading it, and refuses its zeros", async () => {
    put("huge.log", "first\n".repeat(5000));
    truncateSync(path.join(workspace, "huge.log"), 200 * 1024 * 1024);
    const before = process.memoryUsage().arrayBuffers;
    expect(await call("read_file", { path: "huge.log", limit: 3 })).toContain("first\nfirst\nfirst\n");
    await expect(call("read_file", { path: "huge.log", offset: 5001 })).rejects.toThrow("binary data");
    await expect(call("edit_file", { path: "huge.log", find: "first", replace: "x" })).rejects.toThrow(
      "209715200 bytes",
    );
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * 1024 * 1024);
  });

  test("stops when the call is cancelled", async () => {
    put("a.txt", "x\n".repeat(100_000));
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(call("read_file", { path: "a.txt", offset: 99_000 }, recordingContext({ signal }))).rejects.toThrow(
      "stopped",
    );
  });

  test("handles an empty file and a missing one", async () => {
    put("empty", "");
    expect(await call("read_file", { path: "empty" })).toBe("empty is empty.");
    await expect(call("read_file", { path: "missing.md" })).rejects.toThrow(
      "missing.md does not exist. Use list_files",
    );
    await expect(call("read_file", { path: "" })).rejects.toThrow("names the workspace itself");
  });
});

describe("write_file and edit_file", () => {
  test("writes with directories, shows the file, and returns a short result", async () => {
    const context = recordingContext();
    expect(await call("write_file", { path: "a/b/c.md", content: "one\ntwo\n" }, context)).toBe(
      "Wrote a/b/c.md: 2 lines, 8 bytes.",
    );
    expect(read("a/b/c.md")).toBe("one\ntwo\n");
    expect(context.emitted).toEqual([{ type: "file", name: "a/b/c.md", change: "created", bytes: "one\ntwo\n" }]);
    expect(await call("write_file", { path: "a/b/c.md", content: "x" })).toBe("Replaced a/b/c.md: 1 line, 1 bytes.");
    expect(readdirSync(path.join(workspace, "a/b"))).toEqual(["c.md"]);
  });

  test("keeps a file's mode, and sends no bytes of a large one", async () => {
    put("run.sh", "old");
    chmodSync(path.join(workspace, "run.sh"), 0o750);
    const context = recordingContext();
    await call("write_file", { path: "run.sh", content: "y".repeat(300_000) }, context);
    expect(statSync(path.join(workspace, "run.sh")).mode & 0o777).toBe(0o750);
    expect(context.emitted).toEqual([]);
  });

  test("edits exactly one place, verbatim", async () => {
    put("a.ts", "const a = 1;\nconst b = 1;\n");
    expect(await call("edit_file", { path: "a.ts", find: "b = 1", replace: "b = $& $1" })).toBe(
      "Edited a.ts: one place.",
    );
    expect(read("a.ts")).toBe("const a = 1;\nconst b = $& $1;\n");
    await expect(call("edit_file", { path: "a.ts", find: "const", replace: "let" })).rejects.toThrow(
      "2 times (lines 1, 2)",
    );
    await expect(call("edit_file", { path: "a.ts", find: "const  a", replace: "let" })).rejects.toThrow(
      "different spaces",
    );
    await expect(call("edit_file", { path: "a.ts", find: "nowhere", replace: "let" })).rejects.toThrow(
      "Read the file again",
    );
    expect(await call("edit_file", { path: "a.ts", find: "const", replace: "let", all: true })).toBe(
      "Edited a.ts: 2 places.",
    );
    expect(read("a.ts")).toBe("let a = 1;\nlet b = $& $1;\n");
  });

  test("keeps CRLF", async () => {
    put("dos.txt", "one\r\ntwo\r\nthree\r\n");
    await call("edit_file", { path: "dos.txt", find: "one\ntwo", replace: "1\n2" });
    expect(read("dos.txt")).toBe("1\r\n2\r\nthree\r\n");
  });

  test("parallel edits of one file all take effect", async () => {
    put("list.md", Array.from({ length: 20 }, (_, index) => `<${index}>\n`).join(""));
    const tool = toolNamed(files({ workspace }), "edit_file");
    const edit = (index: number) => callTool(tool, { path: "list.md", find: `<${index}>`, replace: `[${index}]` });
    await Promise.all(Array.from({ length: 20 }, (_, index) => edit(index)));
    expect(read("list.md")).toBe(Array.from({ length: 20 }, (_, index) => `[${index}]\n`).join(""));
  });

  test.each([
    ".git/hooks/pre-commit",
    ".GIT/config",
    ".git./config",
    "sub/.Git /x",
    ".g\u200Dit/config",
    "git~1/config",
  ])("never writes %j, which git would run", async (name) => {
    await expect(call("write_file", { path: name, content: "x" })).rejects.toThrow("belongs to git");
    expect(readdirSync(workspace)).toEqual([]);
  });

  test("a cancelled write leaves the old file and nothing else", async () => {
    put("a.txt", "old");
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(call("write_file", { path: "a.txt", content: "new" }, recordingContext({ signal }))).rejects.toThrow(
      "stopped",
    );
    expect(read("a.txt")).toBe("old");
    expect(readdirSync(workspace)).toEqual(["a.txt"]);
  });

  test("read-only omits them, and approval applies only to them", () => {
    const names = (options: object) => files({ workspace, ...options }).map((tool) => tool.name);
    expect(names({ readOnly: true })).toEqual(["list_files", "read_file", "glob_files", "grep_files"]);
    const asked = files({ workspace, approval: "always" }).filter((tool) => tool.approval === "always");
    expect(asked.map((tool) => tool.name)).toEqual(["write_file", "edit_file"]);
    expect(() => files({ workspace: path.join(workspace, "missing") })).toThrow("create that directory first");
  });
});

describe("list, glob and grep", () => {
  beforeEach(() => {
    put("readme.md", "# Title\nneedle here\n");
    put("src/a.ts", "const needle = 1;\n");
    put("src/deep/b.test.ts", "NEEDLE\nlast needle");
    put("node_modules/x/index.js", "needle\n");
    put(".git/config", "needle\n");
    put("image.png", Buffer.concat([Buffer.from("\x89PNG\0", "latin1"), Buffer.from("needle")]));
    symlinkSync("/etc", path.join(workspace, "link"));
  });

  test("list_files", async () => {
    expect(await call("list_files", {})).toBe(
      [
        ".git/",
        "image.png (11 bytes)",
        "link (a link, not followed)",
        "node_modules/",
        "readme.md (20 bytes)",
        "src/",
      ].join("\n"),
    );
    expect(await call("list_files", { path: "src" })).toBe("a.ts (18 bytes)\ndeep/");
    await expect(call("list_files", { path: "link" })).rejects.toThrow("symbolic link");
    await expect(call("list_files", { path: "readme.md" })).rejects.toThrow("is a file, not a directory");
  });

  test.each([
    [{ pattern: "*.md" }, "readme.md"],
    [{ pattern: "**/*.ts" }, "src/a.ts\nsrc/deep/b.test.ts"],
    [{ pattern: "**/*.{md,test.ts}" }, "readme.md\nsrc/deep/b.test.ts"],
    [{ pattern: "s?c/[a-c].ts" }, "src/a.ts"],
    [{ pattern: "s?c/[!a-c].ts" }, "No file matches s?c/[!a-c].ts."],
    [{ pattern: "**", path: "src" }, "src/a.ts\nsrc/deep/b.test.ts"],
    [{ pattern: "**/index.js" }, "No file matches **/index.js."],
    [{ pattern: "**/index.js", everything: true }, "node_modules/x/index.js"],
    [{ pattern: `${"*a".repeat(400)}b` }, `No file matches ${"*a".repeat(400)}b.`],
  ])("glob_files %j", async (input, expected) => {
    expect(await call("glob_files", input)).toBe(expected);
  });

  test.each([
    [
      { text: "needle" },
      ["readme.md:2: needle here", "src/a.ts:1: const needle = 1;", "src/deep/b.test.ts:2: last needle"],
    ],
    [
      { text: "needle", ignoreCase: true, path: "src/deep" },
      ["src/deep/b.test.ts:1: NEEDLE", "src/deep/b.test.ts:2: last needle"],
    ],
    [{ text: "^const \\w+", regex: true }, ["src/a.ts:1: const needle = 1;"]],
    [{ text: "^const", glob: "**/*.ts" }, ["No matches."]],
    [{ text: "needle", path: ".git", everything: true }, [".git/config:1: needle"]],
  ])("grep_files %j", async (input, expected) => {
    expect((await call("grep_files", input)).split("\n")).toEqual(expected);
  });

  test("grep stops at its limit, and ends an endless regular expression", async () => {
    put("many.txt", "needle\n".repeat(1000));
    expect(await call("grep_files", { text: "needle", path: "" })).toContain("[Stopped at 200 matches.");
    put("evil.txt", `${"a".repeat(64)}!\n`);
    await expect(call("grep_files", { text: "^(a+)+$", regex: true, glob: "evil.txt" })).rejects.toThrow(
      "took too long",
    );
    await expect(call("grep_files", { text: "(", regex: true })).rejects.toThrow("not valid");
  });
});
