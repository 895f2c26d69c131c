import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { replaceFile } from "../../src/tools/files/replace.ts";
import { createWorkspace } from "../../src/tools/files/workspace.ts";
import { files } from "../../src/tools/files.ts";
import { callTool, recordingContext, textOf, toolNamed } from "../tools/recording-context.ts";

let base: string;
let workspace: string;
const SECRET = "outside-content";
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), "runcast-confined-"));
  workspace = path.join(base, "workspace");
  mkdirSync(path.join(workspace, "inner"), { recursive: true });
  mkdirSync(path.join(base, "workspace-sibling"));
  mkdirSync(path.join(base, "outside"));
  for (const name of ["secret.txt", "workspace-sibling/secret.txt", "outside/secret.txt"]) {
    writeFileSync(path.join(base, name), SECRET);
  }
  writeFileSync(path.join(workspace, "inner/secret.txt"), "inside");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const call = async (name: string, input: unknown): Promise<string> =>
  textOf(await callTool(toolNamed(files({ workspace }), name), input));
const outsideIsUntouched = (): void => {
  expect(readdirSync(base).sort()).toEqual(["outside", "secret.txt", "workspace", "workspace-sibling"]);
  expect(readdirSync(path.join(base, "outside"))).toEqual(["secret.txt"]);
  expect(readFileSync(path.join(base, "outside/secret.txt"), "utf8")).toBe(SECRET);
};

/** `<base>` is the directory that contains the workspace. */
const TRAVERSALS = [
  "../secret.txt",
  "inner/../../secret.txt",
  "./../secret.txt",
  "inner/./../../secret.txt",
  "..//secret.txt",
  "../workspace-sibling/secret.txt",
  "../workspace/inner/secret.txt",
  "<base>/secret.txt",
  "<base>/workspace/../secret.txt",
  "/<base>/secret.txt",
  "///etc/passwd",
  "/proc/self/cwd/secret.txt",
  "/dev/stdin",
  "..\\secret.txt",
  "inner\\..\\..\\secret.txt",
  "\\\\server\\share\\secret.txt",
  "C:\\secret.txt",
  "c:secret.txt",
  "C:/secret.txt",
  "~/secret.txt",
  "~",
  "secret.txt\0.md",
  "inner/secret.txt\0",
  `${"../".repeat(40)}etc/passwd`,
  `${"a/".repeat(80)}x`,
];
/** Names that only look like an escape. No such files exist. */
const LOOKALIKES = [
  "%2e%2e/secret.txt",
  "..%2fsecret.txt",
  "．．/secret.txt",
  ".../secret.txt",
  "file:../secret.txt",
  "..;/secret.txt",
  "$HOME/secret.txt",
];

describe.each(TRAVERSALS)("%j", (pattern) => {
  const at = () => pattern.replace("<base>", base);
  test("is refused by every tool", async () => {
    for (const [name, rest] of [
      ["read_file", {}],
      ["write_file", { content: "x" }],
      ["edit_file", { find: SECRET, replace: "x" }],
      ["list_files", {}],
      ["glob_files", { pattern: "**" }],
      ["grep_files", { text: SECRET }],
    ] as const) {
      await expect(call(name, { path: at(), ...rest }), name).rejects.toThrow("Give a path relative to the workspace");
    }
    outsideIsUntouched();
  });
});

test.each(LOOKALIKES)("%j stays inside", async (name) => {
  await expect(call("read_file", { path: name })).rejects.toThrow("does not exist");
  await call("write_file", { path: name, content: "x" });
  outsideIsUntouched();
});

test("a glob's own dots do not escape", async () => {
  expect(await call("glob_files", { pattern: "../**" })).toContain("No file matches");
  expect(await call("glob_files", { pattern: `${base}/**` })).toContain("No file matches");
});

describe.each([
  ["held by handles", true],
  ["held by names", false],
])("%s", (_, held) => {
  const root = () => createWorkspace(workspace, { held });
  const readThrough = (at: string) => root().inFile(at, async (file) => file.readFile("utf8"));
  const signal = new AbortController().signal;
  const writeThrough = (at: string) =>
    root().inParent(at, (directory, name) => replaceFile(directory, name, "written", { signal }), { create: true });

  test("reads and writes files inside", async () => {
    expect(await readThrough("inner/secret.txt")).toBe("inside");
    expect(await writeThrough("inner/new/deep.txt")).toBe("created");
    expect(await writeThrough("inner/new/deep.txt")).toBe("changed");
    expect(await readThrough("inner/new/deep.txt")).toBe("written");
  });

  test("follows no link, wherever it is and wherever it leads", async () => {
    symlinkSync(path.join(base, "outside"), path.join(workspace, "absolute"));
    symlinkSync("../outside", path.join(workspace, "relative"));
    symlinkSync("../../outside/secret.txt", path.join(workspace, "inner/file"));
    symlinkSync("inner", path.join(workspace, "within"));
    symlinkSync("loop", path.join(workspace, "loop"));
    symlinkSync(path.join(base, "outside/new.txt"), path.join(workspace, "dangling"));
    for (const at of [
      "absolute/secret.txt",
      "relative/secret.txt",
      "inner/file",
      "within/secret.txt",
      "loop",
      "dangling",
    ]) {
      await expect(readThrough(at), at).rejects.toThrow("symbolic link");
      await expect(writeThrough(at), at).rejects.toThrow("symbolic link");
    }
    await expect(writeThrough("absolute/deep/new.txt")).rejects.toThrow("symbolic link");
    outsideIsUntouched();
  });

  test("opens no pipe, socket or device", async () => {
    execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", path.join(workspace, "pipe")]);
    const server = createServer().listen(path.join(workspace, "socket"));
    await once(server, "listening");
    for (const at of ["pipe", "socket"]) {
      await expect(readThrough(at), at).rejects.toThrow("not a file");
      await expect(writeThrough(at), at).rejects.toThrow("not a file");
    }
    await expect(readThrough("inner")).rejects.toThrow("is a directory");
    await expect(writeThrough("inner")).rejects.toThrow("is a directory");
    await expect(readThrough("inner/secret.txt/x")).rejects.toThrow("is a file, not a directory");
    await new Promise((resolve) => server.close(resolve));
  });

  test("a write replaces a hard link instead of writing through it", async () => {
    linkSync(path.join(base, "outside/secret.txt"), path.join(workspace, "hard"));
    await writeThrough("hard");
    outsideIsUntouched();
  });
});

/**
 * Swaps `workspace/flip` between a directory and a link to the outside, and `workspace/last` between a file and a link,
 * until its stdin ends.
 */
const FLIPPER = `
const fs = require("node:fs"), path = require("node:path");
const [workspace, outside] = process.argv.slice(1);
const at = (name) => path.join(workspace, name);
const attempt = (work) => { try { work(); } catch {} };
fs.mkdirSync(at("real")); fs.writeFileSync(at("real/secret.txt"), "inside"); fs.symlinkSync(outside, at("linked"));
fs.writeFileSync(at("real-file"), "inside"); fs.symlinkSync(path.join(outside, "secret.txt"), at("linked-file"));
process.stdin.on("data", () => {}).on("end", () => process.exit());
const flip = () => {
  for (let round = 0; round < 200; round++) {
    for (const kind of ["real", "linked"]) {
      attempt(() => fs.renameSync(at(kind), at("flip"))); attempt(() => fs.renameSync(at("flip"), at(kind)));
      attempt(() => { fs.unlinkSync(at("last")); }); attempt(() => fs.linkSync(at("real-file"), at("last")));
      attempt(() => { fs.symlinkSync(path.join(outside, "secret.txt"), at("swap")); fs.renameSync(at("swap"), at("last")); });
    }
  }
  setImmediate(flip);
};
flip(); console.log("flipping");
`;

test.runIf(process.platform === "linux")(
  "a link that is swapped in during file operations never leads outside",
  async () => {
    const flipper = spawn(process.execPath, ["-e", FLIPPER, workspace, path.join(base, "outside")], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(flipper.stdout, "data");
    const tools = files({ workspace });
    const seen = { inside: 0, refused: 0 };
    const attempt = async (name: string, input: object): Promise<void> => {
      try {
        const answer = textOf(await callTool(toolNamed(tools, name), input, recordingContext()));
        expect(answer, `${name} ${JSON.stringify(input)}`).not.toContain(SECRET);
        seen.inside += 1;
      } catch (error) {
        expect((error as Error).name, String(error)).toBe("Refusal");
        seen.refused += 1;
      }
    };
    for (let round = 0; round < 500; round++) {
      await attempt("read_file", { path: "flip/secret.txt" });
      await attempt("read_file", { path: "last" });
      await attempt("write_file", { path: `flip/made-${round % 3}.txt`, content: "x" });
      await attempt("edit_file", { path: "last", find: "inside", replace: "within" });
      if (round % 25 === 0) await attempt("grep_files", { text: "outside" });
    }
    flipper.stdin.end();
    await once(flipper, "exit");
    expect(seen.inside, JSON.stringify(seen)).toBeGreaterThan(0);
    expect(seen.refused, JSON.stringify(seen)).toBeGreaterThan(0);
    outsideIsUntouched();
    expect(existsSync(path.join(base, "outside/made-0.txt"))).toBe(false);
  },
);

test.runIf(process.platform === "linux")("leaves no handle open in any case", async () => {
  const open = () => readdirSync("/proc/self/fd").length;
  symlinkSync("..", path.join(workspace, "link"));
  const attempts = async () => {
    for (const at of ["inner/secret.txt", "inner", "link/x", "inner/missing", "../x", "inner/secret.txt/x"]) {
      await call("read_file", { path: at }).catch(() => undefined);
      await call("write_file", { path: `${at}/y/z`, content: "" }).catch(() => undefined);
      await call("grep_files", { path: at, text: "(", regex: true }).catch(() => undefined);
      await call("glob_files", { path: at, pattern: "**" }).catch(() => undefined);
    }
  };
  await attempts();
  const before = open();
  await attempts();
  expect(open()).toBe(before);
});
