import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { studyCompanion } from "../../examples/study-companion/agent.ts";
import { latexProblem } from "../../examples/study-companion/latex.ts";
import { saveMessages } from "../../examples/study-companion/save-messages.ts";
import { splitProviderId } from "../../src/ids.ts";
import { until } from "../serving.ts";
import { configOf, play } from "./playing.ts";

let workspace: string;
beforeEach(() => void (workspace = mkdtempSync(path.join(tmpdir(), "runcast-study-"))));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(workspace, { recursive: true, force: true });
});

/** A compiler that exists on no machine. */
const MISSING = "no-such-pdflatex";
const companion = (compiler = MISSING) => studyCompanion({ workspace, speed: Infinity, compiler });
const read = (file: string): string => readFileSync(path.join(workspace, file), "utf8");

test("the student's profile is returned verbatim", async () => {
  const { entries } = await play(companion(), "What's in my student profile?");
  const names = new Map<string, string | undefined>();
  const shown = entries.flatMap(({ event }): unknown[] => {
    switch (event.type) {
      case "text-delta":
        return [event.delta];
      case "tool-start":
        names.set(event.call, splitProviderId(event.meta).id);
        return [{ start: names.get(event.call), name: event.name }];
      case "tool-end":
        return [{ end: names.get(event.call), outcome: event.outcome, content: event.content }];
      default:
        return [];
    }
  });
  expect(shown).toEqual([
    "Let me check your ",
    "student profile.",
    { start: "call_abc", name: "list_memory_blocks" },
    {
      end: "call_abc",
      outcome: "ok",
      content: [{ type: "text", text: '[{"label": "student", "title": "Student Profile"}]' }],
    },
    { start: "call_def", name: "read_memory_block" },
    {
      end: "call_def",
      outcome: "ok",
      content: [{ type: "text", text: "## About Me\n\nI'm studying CS..." }],
    },
    "Your student profile ",
    "shows that you're studying CS...",
  ]);
  const inputs = entries.flatMap(({ event }) => {
    if (event.type === "tool-input-delta") return [event.delta];
    return event.type === "tool-input-end" && event.input !== undefined ? [JSON.stringify(event.input)] : [];
  });
  expect(inputs.join("")).toBe('{}{"label":"student"}');
  expect(entries.filter(({ event }) => event.type === "status" || event.type === "data")).toEqual([]);
});

describe("/Lec", () => {
  test("creates a lecture, writes its notes and compiles them, with progress and output while it runs", async () => {
    const { outcomes, all, text, file } = await play(companion(), "/Lec Graphs");
    expect(outcomes()).toEqual([
      ["create_lecture", "ok"],
      ["write_file", "ok"],
      ["compile_notes", "ok"],
    ]);
    expect(all("run-start")[0]?.message?.content).toEqual([{ type: "text", text: "/Lec Graphs" }]);
    expect(all("status").map(({ text }) => text)).toContain("Compiling notes…");
    expect(all("tool-progress").map(({ note }) => note)).toEqual([
      "pass 1 of 2",
      "Graphs",
      "What it is about",
      "To remember",
    ]);
    expect(
      all("tool-output-delta")
        .map(({ delta }) => delta)
        .join(""),
    ).toBe("[1] Graphs\n[2] What it is about\n[3] To remember\n");
    expect(text()).toContain(`${MISSING} is not installed here, so this is a plain text rendering.`);
    const notes = read("lectures/01-graphs/notes.txt");
    expect(notes).toContain("To remember\n-----------\n\n- Begin with an example.\n- Then say");
    const made = all("file").find(({ name }) => name.endsWith(".txt"));
    expect(await file(made?.file ?? "")).toBe(notes);
  });

  test("an error in the notes fails with the compiler's message, and the answer mentions it", async () => {
    const { outcomes, all, text } = await play(companion(), "/Lec Broken notes");
    expect(outcomes().at(-1)).toEqual(["compile_notes", "error"]);
    const message = "notes.tex:11: LaTeX Error: \\begin{itemize} on input line 8 ended by \\end{document}.";
    expect(all("tool-end").at(-1)?.error?.message).toBe(message);
    expect(text()).toContain(`The notes do not compile: ${message}`);
  });

  /** A program that behaves like pdflatex as far as it is used here: its output, its files and its exit code. */
  const compilerThat = (script: string): string => {
    const program = path.join(workspace, "compiler");
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o755);
    return program;
  };

  test("with a compiler: two passes, live output, and a PDF", async () => {
    const compiler = compilerThat(
      'for last; do :; done; echo "($last [1] [2])"; printf "%%PDF-1.5" > "${last%.tex}.pdf"',
    );
    const { outcomes, all, file } = await play(companion(compiler), "/Lec Graphs");
    expect(outcomes().at(-1)).toEqual(["compile_notes", "ok"]);
    expect(all("tool-progress").map(({ note }) => note)).toEqual([
      "pass 1 of 2",
      "page 1",
      "page 2",
      "pass 2 of 2",
      "page 1",
      "page 2",
      "finished",
    ]);
    expect(all("tool-output-delta")[0]?.delta).toBe("(notes.tex [1] [2])\n");
    const made = all("file").find(({ mediaType }) => mediaType === "application/pdf");
    expect(await file(made?.file ?? "")).toBe("%PDF-1.5");
    expect(existsSync(path.join(workspace, "lectures/01-graphs/notes.pdf"))).toBe(true);
  });

  test("a compiler that fails: its own message", async () => {
    const compiler = compilerThat(
      'echo "./notes.tex:5: Undefined control sequence."; printf "%s\\n" "l.5 \\\\foo"; exit 1',
    );
    const { outcomes, all } = await play(companion(compiler), "/Lec Graphs");
    expect(outcomes().at(-1)).toEqual(["compile_notes", "error"]);
    expect(all("tool-end").at(-1)?.error?.message).toBe("notes.tex:5: Undefined control sequence.\nl.5 \\foo");
  });
});

test("/Rev reads the chapter and asks a question", async () => {
  const { outcomes, all, text } = await play(companion(), "/Rev Quiz me on chapter 1");
  expect(outcomes()).toEqual([["read_file", "ok"]]);
  expect(JSON.stringify(all("tool-end")[0]?.content)).toContain("A set is a collection of distinct elements.");
  expect(text()).toContain("First question:");
});

test("/Work reads the chapter and writes an exercise", async () => {
  const { outcomes, all, text } = await play(companion(), "/Work Exercise 3");
  expect(outcomes()).toEqual([
    ["read_file", "ok"],
    ["write_file", "ok"],
  ]);
  expect(all("data")).toMatchObject([{ name: "mode", value: "Work" }]);
  expect(read("work/exercise-3.md")).toContain("subsets");
  expect(text()).toContain("A hint:");
});

test.each([
  [true, "ok", "Done. I will remember what you worked on."],
  [false, "denied", "Done. Your profile is unchanged."],
])("/Done proposes what to remember (allowed: %s)", async (allow, outcome, phrase) => {
  const { outcomes, text } = await play(companion(), "/Done", { answer: { allow } });
  expect(outcomes()).toEqual([
    ["list_files", "ok"],
    ["read_memory_block", "ok"],
    ["propose_memory_edit", outcome],
  ]);
  expect(text()).toContain(phrase);
  expect(existsSync(path.join(workspace, "memory.json"))).toBe(allow);
});

describe("an edit of the memory", () => {
  const message = "Remember that I learn best with examples";

  test("is written if it is allowed", async () => {
    const { all, outcomes, text } = await play(companion(), message);
    expect(all("ask-start")[0]).toMatchObject({ kind: "approval", value: { label: "student" } });
    expect(outcomes().at(-1)).toEqual(["propose_memory_edit", "ok"]);
    expect(text()).toContain("I will remember that.");
    expect(JSON.parse(read("memory.json")).student).toEqual({
      title: "Student Profile",
      body: "## About Me\n\nI'm studying CS...\n\n- I learn best with examples",
    });
  });

  test("is not written if it is denied", async () => {
    const { outcomes, text } = await play(companion(), message, { answer: { allow: false } });
    expect(outcomes().at(-1)).toEqual(["propose_memory_edit", "denied"]);
    expect(text()).toContain("I left your profile as it was.");
    expect(existsSync(path.join(workspace, "memory.json"))).toBe(false);
  });

  test("is written as the student edited it", async () => {
    const input = { label: "student", body: "My own words.", reason: "" };
    await play(companion(), message, { answer: { allow: true, input } });
    expect(JSON.parse(read("memory.json")).student.body).toBe("My own words.");
  });
});

test("messages are saved after a run has ended, and the run does not wait for that", async () => {
  const file = path.join(workspace, "saved/messages.jsonl");
  const save = saveMessages(file);
  const held = Promise.withResolvers<void>();
  const { run } = await play(companion(), "What's in my student profile?", {
    onEnd: async (ended) => {
      await held.promise;
      await save(ended);
    },
  });
  expect(existsSync(file)).toBe(false);
  held.resolve();
  await until(() => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"));
  const lines = readFileSync(file, "utf8").trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { run, thread: "thread", role: "user", text: "What's in my student profile?" },
    {
      run,
      thread: "thread",
      role: "assistant",
      text: "Your student profile shows that you're studying CS...",
      outcome: "done",
    },
  ]);
});

test.each<[source: string, problem: string | undefined]>([
  ["\\begin{document}\n{a} \\{ \\} % {\n\\end{document}", undefined],
  ["\\begin{document}\n{a\n\\end{document}", "2: Missing } for this {."],
  ["\\begin{document}\na}\n\\end{document}", "2: Too many }'s."],
  ["\\end{x}", "1: LaTeX Error: \\end{x} without \\begin{x}."],
  ["\\begin{document}", "1: LaTeX Error: \\begin{document} is never ended."],
  ["words", "1: LaTeX Error: Missing \\begin{document}."],
])("what is wrong with %j", (source, expected) => {
  const problem = latexProblem(source);
  expect(problem && `${problem.line}: ${problem.message}`).toBe(expected);
});

test("its configuration can be served", async () => {
  vi.stubEnv("RUNCAST_STUDY", workspace);
  const { agents, onEnd } = await configOf("study-companion");
  expect(Object.keys(agents)).toEqual(["study-companion"]);
  expect(onEnd).toBeInstanceOf(Function);
  expect(existsSync(path.join(workspace, "workspace/chapters/chapter-1.tex"))).toBe(true);
});
