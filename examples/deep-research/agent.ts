// Research with a plan: todos, three parallel researchers that share files, and a report that cites its sources.
import { demo } from "runcast/models/demo";
import type { Source } from "runcast/source";
import { type Model, agent } from "runcast/sources/agent";
import { http } from "runcast/tools/http";
import { todos } from "runcast/tools/todos";
import { searchLibrary } from "./library.ts";
import { runFiles } from "./run-files.ts";
import { LEAD, RESEARCHER, stories } from "./stories.ts";

export interface ResearchOptions {
  /** Default: a scripted model. */
  readonly model?: Model;
  /** The speed of the scripted model. */
  readonly speed?: number;
  /** The parent directory for the files of active runs. Default: the system's temporary directory. */
  readonly directory?: string;
}

export const deepResearch = ({ model, speed = 1, directory }: ResearchOptions = {}): Source => {
  const shared = runFiles(directory);
  return agent({
    description: "Splits a question, researches its parts in parallel, and writes a report with sources.",
    model: model ?? demo({ speed, stories }),
    instructions: LEAD,
    tools: [todos(), shared],
    agents: {
      researcher: {
        description: "answers one narrow question from sources, and keeps its findings in a file",
        instructions: RESEARCHER,
        tools: [searchLibrary(), http(), shared],
      },
    },
  });
};
