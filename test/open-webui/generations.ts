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
  /**
   * Whether an item that is added beyond the end of the browser's list leaves a hole in it. The page then shows no
   * further items until it gets all of them. Otherwise the item is appended.
   */
  readonly leavesHoles: boolean;
  /** Whether the error of `response.failed` is stored. */
  readonly storesFailed: boolean;
  /** Whether the browser receives the thinking of chat chunks as an item, with its duration, while it streams. */
  readonly tellsThinking: boolean;
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
  leavesHoles: false,
  storesFailed: false,
  tellsThinking: false,
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
  leavesHoles: false,
  storesFailed: false,
  tellsThinking: false,
};

const merging = {
  ...events,
  sameItem: "id or call of its type",
  completed: { backend: "replaces unless empty", browser: "merges" },
  stopped: "incomplete",
} as const;

/** Each is checked against recordings of its versions, in `recordings.test.ts`. */
export const generations: readonly Generation[] = [
  { name: "A", versions: "0.10.0 – 0.11.0", ...snapshots },
  // Holes: only 0.11.1, not 0.11.3.
  { name: "B", versions: "0.11.1 – 0.11.3", ...events, leavesHoles: true },
  { name: "C", versions: "0.11.4", ...merging },
  {
    name: "D",
    versions: "0.12",
    ...merging,
    takesErrorType: true,
    deltaMakesItem: true,
    callIsItsId: true,
    storesFailed: true,
    tellsThinking: true,
  },
];

export const generation = (name: string): Generation => {
  const found = generations.find((each) => each.name === name);
  if (!found) throw new Error(`there is no generation ${name}`);
  return found;
};
