import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { mkdir, readFile, readdir, realpath, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { type Tool, type ToolContext, defineTool, toolResult } from "runcast/tool";
import { compilePdf } from "./compile-pdf.ts";
import { latexProblem, latexText } from "./latex.ts";

export interface NoteOptions {
  readonly workspace: string;
  readonly compiler: string;
}

/** Creates lectures and compiles their notes. */
export const noteTools = ({ workspace, compiler }: NoteOptions): Tool[] => {
  const createLecture = defineTool({
    name: "create_lecture",
    title: "Create a lecture",
    description: "Creates the directory of a new lecture with empty notes, and returns the path of the notes.",
    input: z.object({ title: z.string().min(1).max(200) }),
    async run({ title }, { file }) {
      const lectures = path.join(workspace, "lectures");
      await mkdir(lectures, { recursive: true });
      const number = `${(await readdir(lectures)).length + 1}`.padStart(2, "0");
      const directory = `${number}-${slug(title)}`;
      await mkdir(path.join(lectures, directory));
      const notes = `lectures/${directory}/notes.tex`;
      const bytes = `\\documentclass{article}\n\\title{${title.replaceAll(/[\\{}%]/g, "")}}\n\\begin{document}\n\\maketitle\n\\end{document}\n`;
      await writeFile(path.join(workspace, notes), bytes);
      await file({ name: notes, mediaType: "application/x-tex", bytes });
      return { path: notes };
    },
  });

  const compileNotes = defineTool({
    name: "compile_notes",
    title: "Compile notes",
    description:
      "Compiles a LaTeX file to a PDF, or to plain text if LaTeX is not installed. Reports what is wrong with it.",
    input: z.object({ path: z.string().describe("Relative to the workspace, such as lectures/01-sets/notes.tex") }),
    doing: "Compiling notes…",
    timeoutMs: 120_000,
    async run({ path: asked }, context) {
      const source = await confined(workspace, asked);
      const text = await readFile(source, "utf8");
      const pdf = await compilePdf({ compiler, name: path.basename(source), text }, context);
      const made = pdf ? { bytes: pdf, as: "pdf" } : { bytes: compileText(asked, text, context), as: "txt" };
      const name = asked.replace(/\.tex$/, `.${made.as}`);
      await writeFile(source.replace(/\.tex$/, `.${made.as}`), made.bytes);
      await context.file({ name, mediaType: pdf ? "application/pdf" : "text/plain", bytes: made.bytes });
      const why = pdf ? "" : ` ${compiler} is not installed here, so this is a plain text rendering.`;
      return toolResult(`Compiled ${asked} to ${name}.${why}`, { value: { path: name, pdf: pdf !== undefined } });
    },
  });

  return [createLecture, compileNotes] as Tool[];
};

/** Writes a chapter to revise, before the first lecture exists. */
export const writeFirstChapter = (workspace: string): void => {
  const file = path.join(workspace, "chapters/chapter-1.tex");
  if (existsSync(file)) return;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(
    file,
    [
      "\\documentclass{article}",
      "\\title{Chapter 1: Sets}",
      "\\begin{document}",
      "\\section{Definition}",
      "A set is a collection of distinct elements. Order does not matter.",
      "\\section{Operations}",
      "\\begin{itemize}",
      "\\item The union of A and B has every element of either.",
      "\\item The intersection has those of both.",
      "\\end{itemize}",
      "\\end{document}",
      "",
    ].join("\n"),
  );
};

const compileText = (name: string, source: string, { output, progress }: ToolContext): string => {
  const problem = latexProblem(source);
  if (problem) throw new Error(`${path.posix.basename(name)}:${problem.line}: ${problem.message}`);
  const sections = latexText(source);
  return sections
    .map(({ heading, text }, index) => {
      output(`[${index + 1}] ${heading}\n`);
      progress({ fraction: (index + 1) / sections.length, note: heading });
      return `${heading}\n${(index === 0 ? "=" : "-").repeat(heading.length)}\n\n${text}\n`;
    })
    .join("\n");
};

/** The real path of a LaTeX file in the workspace. */
const confined = async (workspace: string, asked: string): Promise<string> => {
  if (!asked.endsWith(".tex")) throw new Error(`${asked} is not a LaTeX file: its name must end with .tex.`);
  const found = await realpath(path.resolve(workspace, asked)).catch(() => undefined);
  if (!found?.startsWith(realpathSync(workspace) + path.sep)) throw new Error(`There is no ${asked} in the workspace.`);
  return found;
};

const slug = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 40) || "lecture";
