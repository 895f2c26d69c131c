/** Event fields that hold an id, and what the id refers to. `answer` and `awaiting` of run-end hold lists of ids. */
export const ID_FIELDS = {
  agent: "agent",
  parent: "agent",
  step: "step",
  part: "part",
  replaces: "part",
  call: "call",
  repeats: "call",
  ask: "ask",
} as const;

export type IdKind = (typeof ID_FIELDS)[keyof typeof ID_FIELDS];
