// Research with a plan: todos, three researchers at once with files they share, and a report that names its sources.
import { demo } from "../../src/models/demo.ts";
import type { Source } from "../../src/source.ts";
import { type Model, agent } from "../../src/sources/agent.ts";
import { http } from "../../src/tools/http.ts";
import { todos } from "../../src/tools/todos.ts";
import { searchLibrary } from "./library.ts";
import { runFiles } from "./run-files.ts";
import { LEAD, RESEARCHER, stories } from "./stories.ts";

export interface ResearchOptions {
  /** Default: a scripted one. */
  readonly model?: Model;
  /** Of the scripted model. */
  readonly speed?: number;
  /** Where the files of a run lie while it goes on. Default: the system's place for temporary files. */
  readonly directory?: string;
}

export const deepResearch = ({ model, speed = 1, directory }: ResearchOptions = {}): Source => {
  const shared = runFiles(directory);
  return agent({
    description: "Divides a question, has its parts researched at the same time, and writes a report with sources.",
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
