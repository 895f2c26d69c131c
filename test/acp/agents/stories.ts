/** What the scripted model does in one response. */
export interface Reply {
  readonly thinking?: string;
  readonly text?: string;
  readonly uses?: readonly Use[];
  /** The HTTP status of a failure. */
  readonly fails?: number;
}

/** A tool use of the model, independent of the tool's name in a specific agent. */
export type Use =
  | { readonly tool: "read"; readonly file: string }
  | { readonly tool: "edit"; readonly file: string; readonly from: string; readonly to: string }
  | { readonly tool: "shell"; readonly command: string }
  | { readonly tool: "plan"; readonly todos: readonly { readonly text: string; readonly status: Status }[] };
export type Status = "pending" | "in_progress" | "completed";

const edit: Use = { tool: "edit", file: "notes.txt", from: "second line", to: "2nd line" };
const plan = (one: Status, other: Status): Reply => ({
  uses: [
    {
      tool: "plan",
      todos: [
        { text: "Read the notes", status: one },
        { text: "Change the notes", status: other },
      ],
    },
  ],
});

/** Stories by the capitalized word in the user's message: one reply per model request, in order. The last one repeats. */
export const stories: Readonly<Record<string, readonly Reply[]>> = {
  HELLO: [{ text: "Hello! I am a scripted model." }],
  THINK: [{ thinking: "Somebody wants me to think.", text: "I have thought about it." }],
  TWO: [
    {
      text: "I read both.",
      uses: [
        { tool: "read", file: "notes.txt" },
        { tool: "read", file: "other.txt" },
      ],
    },
    { text: "Both are read." },
  ],
  FAIL: [
    { text: "I read what is not there.", uses: [{ tool: "read", file: "nowhere.txt" }] },
    { text: "It is not there." },
  ],
  EDIT: [
    { text: "I read it first.", uses: [{ tool: "read", file: "notes.txt" }] },
    { text: "Now I change a word.", uses: [edit] },
    { text: "That is all." },
  ],
  TWICE: [
    { text: "I read it first.", uses: [{ tool: "read", file: "notes.txt" }] },
    { text: "Now I change a word.", uses: [edit] },
    { text: "And back.", uses: [{ ...edit, from: "2nd line", to: "second line" }] },
    { text: "That is all." },
  ],
  SHELL: [
    { text: "I count.", uses: [{ tool: "shell", command: "for i in 1 2 3; do echo line $i; sleep 0.3; done" }] },
    { text: "I have counted." },
  ],
  // Codex drops the first output of a command, so there is a second.
  LONG: [
    { text: "I wait.", uses: [{ tool: "shell", command: "echo begun; sleep 1; echo working; sleep 271; echo over" }] },
    { text: "I have waited." },
  ],
  PLAN: [
    { text: "I make a plan.", ...plan("in_progress", "pending") },
    plan("completed", "in_progress"),
    plan("completed", "completed"),
    { text: "The plan is done." },
  ],
  BROKEN: [{ fails: 400 }],
};
