import type { Beat, DemoStory, Turn } from "runcast/models/demo";

export const LECTURE =
  "You write a lecture: create it, write its notes as LaTeX into the file that was created, then compile them. If they do not compile, say why.";
export const REVISION =
  "You review with the student: read the chapter they name, then ask questions about it, one at a time.";
export const EXERCISE =
  "You work on an exercise with the student: read the chapter it belongs to, write the exercise into a file under work, and give one hint, not the solution.";
export const CLOSING =
  "The session is over: look at what was written, propose to remember what the student learned, and say goodbye.";

const notesPath = ({ resultsOf }: Turn): string => {
  const [created] = resultsOf("create_lecture");
  return created?.startsWith("{") ? (JSON.parse(created) as { path: string }).path : "lectures/notes.tex";
};

const topicOf = (message: string): string => message.replace(/^(?:on|about)\s+/i, "").trim() || "Graphs";

const notesOn = (topic: string): string => {
  // A list that is never closed, to show what an error looks like.
  const isBroken = /\bbroken\b/i.test(topic);
  return [
    "\\documentclass{article}",
    `\\title{${topic}}`,
    "\\begin{document}",
    "\\maketitle",
    "\\section{What it is about}",
    `These notes on ${topic} were written by a script.`,
    "\\section{To remember}",
    "\\begin{itemize}",
    "\\item Begin with an example.",
    "\\item Then say what all examples have in common.",
    ...(isBroken ? [] : ["\\end{itemize}"]),
    "\\end{document}",
    "",
  ].join("\n");
};

const lecture: DemoStory = {
  name: "lecture",
  message: "/Lec Graphs",
  description: "a lecture is created, its notes written and compiled",
  matches: ({ system }) => system.includes(LECTURE),
  steps: [
    ({ message }) => [
      { say: "First, a place for the lecture. " },
      { call: "create_lecture", input: { title: topicOf(message) } },
    ],
    (turn) => [
      { say: "Now its notes. " },
      { call: "write_file", input: { path: notesPath(turn), content: notesOn(topicOf(turn.message)) } },
    ],
    (turn) => [{ call: "compile_notes", input: { path: notesPath(turn) } }],
    ({ results }) => {
      const last = results.at(-1);
      return [
        { say: last?.isError ? `The notes do not compile: ${last.text}` : `The lecture is ready. ${last?.text}` },
      ];
    },
  ],
};

const revision: DemoStory = {
  name: "revision",
  message: "/Rev Quiz me on chapter 1",
  description: "a chapter is read, and a question asked",
  matches: ({ system }) => system.includes(REVISION),
  steps: [
    ({ message }) => [
      { say: "Let me read it first. " },
      { call: "read_file", input: { path: `chapters/chapter-${/\d+/.exec(message)?.[0] ?? 1}.tex` } },
    ],
    ({ results }): Beat[] => [
      results.at(-1)?.isError
        ? { say: `I cannot read that chapter: ${results.at(-1)?.text}` }
        : { say: "First question: which elements are in the intersection of {1, 2} and {2, 3}?" },
    ],
  ],
};

const exercise: DemoStory = {
  name: "exercise",
  message: "/Work Exercise 1",
  description: "a chapter is read, and an exercise written for the student to solve",
  matches: ({ system }) => system.includes(EXERCISE),
  steps: [
    () => [{ say: "Let me look at the chapter. " }, { call: "read_file", input: { path: "chapters/chapter-1.tex" } }],
    ({ message }) => [
      {
        call: "write_file",
        input: {
          path: `work/exercise-${/\d+/.exec(message)?.[0] ?? 1}.md`,
          content: "List the subsets of {1, 2, 3}.\n",
        },
      },
    ],
    () => [{ say: "Your exercise: list the subsets of {1, 2, 3}. A hint: there are eight." }],
  ],
};

const closing: DemoStory = {
  name: "closing",
  message: "/Done",
  description: "the session ends, and what was learned is remembered if the student allows it",
  matches: ({ system }) => system.includes(CLOSING),
  steps: [
    () => [{ call: "list_files", input: {} }],
    () => [{ call: "read_memory_block", input: { label: "student" } }],
    ({ resultsOf }) => [
      {
        call: "propose_memory_edit",
        input: {
          label: "student",
          body: `${resultsOf("read_memory_block")[0] ?? ""}\n\n- Has worked on sets`,
          reason: "You worked on it in this session.",
        },
      },
    ],
    ({ results }) => [
      {
        say: results.at(-1)?.isError ? "Done. Your profile is unchanged." : "Done. I will remember what you worked on.",
      },
    ],
  ],
};

/** Its pieces and IDs are fixed, because other implementations are tested against the same text. */
const profile: DemoStory = {
  name: "profile",
  message: "What's in my student profile?",
  description: "two calls, one after the other, and an answer",
  matches: ({ message }) => /\bstudent profile\b/i.test(message),
  steps: [
    () => [
      { say: ["Let me check your ", "student profile."] },
      { call: "list_memory_blocks", input: {}, id: "call_abc" },
    ],
    () => [{ call: "read_memory_block", input: { label: "student" }, id: "call_def" }],
    () => [{ say: ["Your student profile ", "shows that you're studying CS..."] }],
  ],
};

const remember: DemoStory = {
  name: "remember",
  message: "Remember that I learn best with examples",
  description: "an edit of the memory that the student allows, changes or denies",
  matches: ({ message }) => /^remember\b/i.test(message),
  steps: [
    () => [{ call: "read_memory_block", input: { label: "student" } }],
    ({ message, resultsOf }) => [
      { say: "I would like to add that to your profile. " },
      {
        call: "propose_memory_edit",
        input: {
          label: "student",
          body: `${resultsOf("read_memory_block")[0] ?? ""}\n\n- ${message.replace(/^remember (?:that )?/i, "")}`,
          reason: "You asked me to remember it.",
        },
      },
    ],
    ({ results }) => [{ say: results.at(-1)?.isError ? "I left your profile as it was." : "I will remember that." }],
  ],
};

export const stories: readonly DemoStory[] = [lecture, revision, exercise, closing, profile, remember];
