import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { z } from "zod";
import type { Message } from "../../events.ts";
import { Refusal, type RunRequest } from "../../source.ts";

const entrySchema = z.object({ session: z.string(), history: z.string(), first: z.string(), at: z.number() });
const storeSchema = z.record(z.string(), entrySchema);
type Store = z.infer<typeof storeSchema>;

const MAX_KEPT = 1000;

/** A thread that a run is working on. */
export interface HeldThread {
  /** The agent's session for this thread, if it contains exactly the conversation that the request continues. */
  readonly session: string | undefined;
  /** Saves the session for the thread's next run. */
  keep(session: string): void;
  /** The run is over, and the agent's process is about to exit. From now on, a new run waits for that instead of being refused. */
  leave(): void;
  /** The process has exited. The next run may load the session. */
  release(): void;
}

/**
 * Maps threads to the agent's sessions. Stored in a file on this machine, because the sessions are also local: they are
 * in the agent's own directory. Another machine or another user gets a new session.
 */
export class Sessions {
  readonly #file: string | undefined;
  readonly #scope: string;
  readonly #busy = new Map<string, { isOver: boolean; readonly over: PromiseWithResolvers<void> }>();
  #memory: Store = {};

  constructor(file: string | undefined, scope: readonly string[]) {
    this.#file = file;
    this.#scope = JSON.stringify(scope);
  }

  /** Claims the thread for one run. Refuses a second concurrent run, because both would write into one session. */
  async hold(request: RunRequest): Promise<HeldThread> {
    const { thread } = request;
    if (thread === undefined) return { session: undefined, keep: () => {}, leave: () => {}, release: () => {} };
    const key = digest([this.#scope, request.user?.id ?? "", thread]);
    for (let busy = this.#busy.get(key); busy; busy = this.#busy.get(key)) {
      if (!busy.isOver)
        throw new Refusal("thread-busy", "The agent is still working on this conversation.", {
          status: 409,
          retryable: true,
          hint: "wait for the run to end, or cancel it",
        });
      await busy.over.promise;
    }
    const mine = { isOver: false, over: Promise.withResolvers<void>() };
    this.#busy.set(key, mine);
    const asked = questionsIn(request.messages);
    const stored = this.#read()[key];
    const known = stored && continues(stored, asked) ? stored : undefined;
    return {
      session: known?.session,
      keep: (session) => {
        const history = known && asked.length === 1 ? known.history : digest(asked);
        this.#write(key, { session, history, first: known?.first ?? digest(asked.slice(0, 1)), at: Date.now() });
      },
      leave: () => void (mine.isOver = true),
      release: () => {
        this.#busy.delete(key);
        mine.over.resolve();
      },
    };
  }

  #read(): Store {
    if (this.#file === undefined) return this.#memory;
    try {
      return storeSchema.parse(JSON.parse(readFileSync(this.#file, "utf8")));
    } catch {
      return this.#memory;
    }
  }

  #write(key: string, entry: Store[string]): void {
    const all = Object.entries({ ...this.#read(), [key]: entry });
    const newest = all.toSorted(([, one], [, other]) => other.at - one.at).slice(0, MAX_KEPT);
    this.#memory = Object.fromEntries(newest);
    if (this.#file === undefined) return;
    try {
      mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
      const written = `${this.#file}.${process.pid}`;
      writeFileSync(written, JSON.stringify(this.#memory), { mode: 0o600 });
      renameSync(written, this.#file);
    } catch {
      // Sessions then continue only while this process lives.
    }
  }
}

export const defaultSessionsFile = (): string =>
  path.join(process.env["XDG_STATE_HOME"] ?? path.join(homedir(), ".local/state"), "runcast", "acp-sessions.json");

/**
 * Whether the session contains exactly the earlier conversation. A client that sends the whole conversation reveals
 * whether the user went back and changed something. A client that sends only the new message wants to continue.
 */
const continues = (stored: Store[string], asked: readonly string[]): boolean =>
  asked.length === 1 ? digest(asked) !== stored.first : digest(asked.slice(0, -1)) === stored.history;

const questionsIn = (messages: readonly Message[]): readonly string[] =>
  messages.filter(({ role }) => role === "user").map(({ content }) => JSON.stringify(content));

const digest = (texts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(texts)).digest("base64url");
