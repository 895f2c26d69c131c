/** Opens once, which releases everyone who waits for it. */
export interface Gate {
  open(): void;
  readonly opened: Promise<void>;
}

export const createGate = (): Gate => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: () => resolve(), opened: promise };
};

export type ToolName = "lookup" | "fail" | "send" | "delegate";

/** One response of the model. */
export interface ModelTurn {
  /** Its text in pieces. The model waits at a gate until it opens. */
  readonly say?: readonly (string | Gate)[];
  /** The delay between two frames. Default: that of a fast model. 0: as fast as the server reads. */
  readonly everyMs?: number;
  /** Its calls. Each key names an act of the script. */
  readonly calls?: readonly { readonly tool: ToolName; readonly key: string }[];
}

/** What a tool does when it is called with a key. */
export interface Act {
  readonly result?: string;
  readonly error?: string;
  readonly until?: Gate;
}

export interface Script {
  readonly turns: readonly ModelTurn[];
  readonly acts?: Readonly<Record<string, Act>>;
}

let count = 0;

/** One conversation with the scripted model, and counts of what happened in it. */
export class Scene {
  /** The user's message contains this name. It is unique, so other runs cannot use the scene. */
  readonly name = `scene-${(++count).toString(36)}${Math.floor(performance.timeOrigin + performance.now()).toString(36)}`;
  readonly script: Script;
  /** The number of requests to the model. */
  asked = 0;
  /** How many responses were read to the end, and how many the caller aborted. */
  finished = 0;
  aborted = 0;
  /** Tools that the script needs and the agent lacks. */
  readonly missing = new Set<string>();
  readonly #runs = new Map<string, number>();

  constructor(script: Script) {
    this.script = script;
  }

  /** The user's message to the agent. */
  get message(): string {
    return `Please play ${this.name}.`;
  }

  /** The model's whole text in one turn. */
  text(turn: number): string {
    return (this.script.turns[turn]?.say ?? []).filter((piece) => typeof piece === "string").join("");
  }

  /** The argument that the model passes to a tool. */
  key(act: string): string {
    return `${this.name}/${act}`;
  }

  /** How often a tool ran with this key. */
  ran(act: string): number {
    return this.#runs.get(act) ?? 0;
  }

  async runTool(key: string): Promise<{ readonly status: number; readonly text: string }> {
    const act = key.slice(key.lastIndexOf("/") + 1);
    this.#runs.set(act, this.ran(act) + 1);
    const { result = `result of ${act}`, error, until } = this.script.acts?.[act] ?? {};
    await until?.opened;
    return error === undefined ? { status: 200, text: result } : { status: 500, text: error };
  }
}
