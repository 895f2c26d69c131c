// A companion for one's studies: lectures by /Lec, revision by /Rev, and a memory that changes only with the student's leave.
import { mkdirSync } from "node:fs";
import { demo } from "../../src/models/demo.ts";
import type { Source } from "../../src/source.ts";
import { type Model, agent } from "../../src/sources/agent.ts";
import { files } from "../../src/tools/files.ts";
import { memoryTools } from "./memory.ts";
import { noteTools, writeFirstChapter } from "./notes.ts";
import { LECTURE, REVISION, stories } from "./stories.ts";

export interface StudyOptions {
  /** Where lectures, chapters and the memory lie. Made if it is not there. */
  readonly workspace: string;
  /** Default: a scripted one. */
  readonly model?: Model;
  /** Of the scripted model. */
  readonly speed?: number;
  /** The program that makes a PDF of LaTeX. Where it is not installed, notes become plain text. Default: pdflatex. */
  readonly compiler?: string;
}

export const studyCompanion = ({ workspace, model, speed = 1, compiler = "pdflatex" }: StudyOptions): Source => {
  mkdirSync(workspace, { recursive: true });
  writeFirstChapter(workspace);
  return agent({
    description: "Writes lecture notes, asks questions, and remembers who is learning.",
    model: model ?? demo({ speed, stories }),
    instructions:
      "You help one student to learn. What you know of the student is in memory blocks; propose an edit when you learn something that will matter later.",
    tools: [...files({ workspace }), ...noteTools({ workspace, compiler }), ...memoryTools(workspace)],
    modes: {
      Lec: {
        description: "write the notes of a lecture and compile them",
        instructions: LECTURE,
        tools: ["create_lecture", "write_file", "compile_notes"],
      },
      Rev: {
        description: "revise a chapter with questions",
        instructions: REVISION,
        tools: ["list_files", "read_file"],
      },
    },
  });
};
