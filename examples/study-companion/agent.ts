// A study companion: lectures with /Lec, revision with /Rev, exercises with /Work, the end of a session with /Done, and a
// memory that changes only with the student's approval.
import { mkdirSync } from "node:fs";
import { demo } from "runcast/models/demo";
import type { Source } from "runcast/source";
import { type Model, agent } from "runcast/sources/agent";
import { files } from "runcast/tools/files";
import { memoryTools } from "./memory.ts";
import { noteTools, writeFirstChapter } from "./notes.ts";
import { CLOSING, EXERCISE, LECTURE, REVISION, stories } from "./stories.ts";

export interface StudyOptions {
  /** The directory of lectures, chapters, and the memory. Created if missing. */
  readonly workspace: string;
  /** Default: a scripted model. */
  readonly model?: Model;
  /** The speed of the scripted model. */
  readonly speed?: number;
  /** The program that compiles LaTeX to PDF. If it is not installed, notes become plain text. Default: pdflatex. */
  readonly compiler?: string;
}

export const studyCompanion = ({ workspace, model, speed = 1, compiler = "pdflatex" }: StudyOptions): Source => {
  mkdirSync(workspace, { recursive: true });
  writeFirstChapter(workspace);
  return agent({
    description: "Writes lecture notes, asks questions, and remembers what the student learned.",
    model: model ?? demo({ speed, stories }),
    instructions:
      "You help one student learn. What you know about the student is in memory blocks; propose an edit when you learn something that will matter later.",
    tools: [...files({ workspace }), ...noteTools({ workspace, compiler }), ...memoryTools(workspace)],
    modes: {
      Lec: {
        description: "write the notes of a lecture and compile them",
        instructions: LECTURE,
        tools: ["create_lecture", "write_file", "compile_notes"],
      },
      Rev: {
        description: "review a chapter with questions",
        instructions: REVISION,
        tools: ["list_files", "read_file"],
      },
      Work: {
        description: "work on an exercise, and keep the attempt",
        instructions: EXERCISE,
        tools: ["list_files", "read_file", "write_file"],
      },
      Done: {
        description: "end the session, and remember what was learned",
        instructions: CLOSING,
        tools: ["list_files", "read_memory_block", "propose_memory_edit"],
      },
    },
  });
};
