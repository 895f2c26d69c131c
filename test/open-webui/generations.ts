/** How one display generation of Open WebUI differs from the others. Common behavior is in backend.ts, browser.ts, and display.ts. */
export interface Generation {
  readonly name: string;
  readonly versions: string;
  /** What the browser receives for a line of the stream: all items so far, or the line's own event. */
  readonly socket: "snapshots" | "events";
  /**
   * Which existing item an added one replaces. Otherwise it is inserted at its index. `none`: it is always appended.
   */
  readonly sameItem: "none" | "id or call" | "id or call of its type";
  /** Whether `response.output_item.done` adds its item to the list. */
  readonly takesDone: boolean;
  /** The effect of `response.completed` on the list, in the backend and in the browser. */
  readonly completed: {
    readonly backend: "replaces" | "replaces unless empty";
    readonly browser: "replaces" | "merges";
  };
  /** Whether a card distinguishes preparing from executing, and shows a failed call in red. */
  readonly tellsFailed: boolean;
  /** What happens to calls without a result when the user presses Stop. */
  readonly stopped: "left" | "incomplete";
  /** Whether a page that is reloaded during a run gets the items so far. */
  readonly overlaysReload: boolean;
  /** Whether `{"type":"error"}` is a stream event. */
  readonly takesErrorType: boolean;
  /** Whether a call without a `call_id` is identified by its `id`. */
  readonly callIsItsId: boolean;
  /** Whether a delta for a missing index creates its item. */
  readonly deltaMakesItem: boolean;
}

const snapshots: Omit<Generation, "name" | "versions"> = {
  socket: "snapshots",
  sameItem: "none",
  takesDone: false,
  completed: { backend: "replaces", browser: "replaces" },
  tellsFailed: false,
  stopped: "left",
  overlaysReload: false,
  takesErrorType: false,
  deltaMakesItem: false,
  callIsItsId: false,
};

const events: Omit<Generation, "name" | "versions"> = {
  socket: "events",
  sameItem: "id or call",
  takesDone: true,
  completed: { backend: "replaces unless empty", browser: "replaces" },
  tellsFailed: true,
  stopped: "left",
  overlaysReload: true,
  takesErrorType: false,
  deltaMakesItem: false,
  callIsItsId: false,
};

const merging = {
  ...events,
  sameItem: "id or call of its type",
  completed: { backend: "replaces unless empty", browser: "merges" },
} as const;

/** A and D are checked against recordings of 0.10.2 and 0.12.4. */
export const generations: readonly Generation[] = [
  { name: "A", versions: "0.10.0 – 0.11.0", ...snapshots },
  { name: "B", versions: "0.11.1 – 0.11.3", ...events },
  { name: "C", versions: "0.11.4", ...merging },
  {
    name: "D",
    versions: "0.12",
    ...merging,
    stopped: "incomplete",
    takesErrorType: true,
    deltaMakesItem: true,
    callIsItsId: true,
  },
];

export const generation = (name: string): Generation => {
  const found = generations.find((each) => each.name === name);
  if (!found) throw new Error(`there is no generation ${name}`);
  return found;
};
