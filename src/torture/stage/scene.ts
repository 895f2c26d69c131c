/** Opened once; whoever waits for it goes on then. */
export interface Gate {
  open(): void;
  readonly opened: Promise<void>;
}

export const createGate = (): Gate => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: () => resolve(), opened: promise };
};

export type ToolName = "lookup" | "fail" | "send" | "delegate";

/** One answer of the model. */
export interface Turn {
  /** What it says, piece by piece; at a gate it waits. */
  readonly say?: readonly (string | Gate)[];
  /** Between two pieces. */
  readonly everyMs?: number;
  /** Calls that it makes, each with the name of what the tool is to do in this scene. */
  readonly calls?: readonly { readonly tool: ToolName; readonly key: string }[];
}

/** What a tool does with a key. */
export interface Act {
  readonly result?: string;
  readonly error?: string;
  readonly until?: Gate;
}

export interface Script {
  readonly turns: readonly Turn[];
  readonly acts?: Readonly<Record<string, Act>>;
}

let count = 0;

/** One conversation with the scripted model, and what was done in it. */
export class Scene {
  /** The name that the user's message carries: other runs cannot meet it. */
  readonly name = `scene-${(++count).toString(36)}${Math.floor(performance.timeOrigin + performance.now()).toString(36)}`;
  readonly script: Script;
  /** How often the model was asked. */
  asked = 0;
  /** How many of its answers were taken to the end, and how many were broken off by who asked. */
  finished = 0;
  aborted = 0;
  /** Tools that the script needs and the agent does not have. */
  readonly missing = new Set<string>();
  readonly #runs = new Map<string, number>();

  constructor(script: Script) {
    this.script = script;
  }

  /** What a person writes to the agent. */
  get message(): string {
    return `Please play ${this.name}.`;
  }

  /** All that the model says in one turn. */
  text(turn: number): string {
    return (this.script.turns[turn]?.say ?? []).filter((piece) => typeof piece === "string").join("");
  }

  /** The key of a tool, as the model says it. */
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
