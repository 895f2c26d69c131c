import { fieldsOf } from "../../json.ts";
import { createEventQueue } from "../../event-queue.ts";
import type { Event } from "../../events.ts";
import { Refusal, type RunContext, type RunRequest } from "../../source.ts";
import type { AgentProcess } from "./agent-process.ts";
import { type AgentConnection, type Session, connect, openSession, requestFailed } from "./connection.ts";
import { chosenFrom } from "./choices.ts";
import { Decoder, type DecoderOptions } from "./decoder.ts";
import { promptOf } from "./prompt.ts";
import type { HeldThread } from "./sessions.ts";
import type { Terminals } from "./terminals.ts";
import { type Wire, wireOf } from "./wire.ts";

export interface AgentRunOptions {
  readonly process: AgentProcess;
  readonly cwd: string;
  readonly maxMessageBytes: number;
  readonly startTimeoutMs: number;
  readonly decoder: DecoderOptions;
  readonly thread: HeldThread;
  /** Creates the terminals that the agent may use. Absent if it may not use any. */
  readonly terminals?: (onOutput: ConstructorParameters<typeof Terminals>[2]) => Terminals;
  /** Called with what the session offers. */
  readonly onSession: (session: Session) => void;
}

/** How long a cancelled agent may take to end its turn. */
const CANCEL_MS = 2000;
const TICK_MS = 600;
/** A loaded session counts as ready after this long without a message. */
const QUIET_MS = 150;
const QUIET_LIMIT_MS = 3000;

/** One prompt to one agent: converts its messages to events, and sends the user's decisions back. */
export class AgentRun {
  readonly #options: AgentRunOptions;
  readonly #context: RunContext;
  readonly #decoder: Decoder;
  readonly #queue = createEventQueue();
  readonly #replies = new Map<unknown, Promise<unknown>>();
  readonly #asks = new Map<unknown, { readonly ask: string; readonly withdraw: () => void }>();
  readonly #terminals: Terminals | undefined;
  #session: string | undefined;
  #isPrompted = false;
  #received = 0;
  #result: unknown;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AgentRunOptions, context: RunContext) {
    this.#options = options;
    this.#context = context;
    this.#decoder = new Decoder(options.decoder);
    this.#terminals = options.terminals?.((id, piece, exit) => this.#emit(this.#decoder.terminal(id, piece, exit)));
  }

  async *events(request: RunRequest): AsyncGenerator<Event> {
    const { process, maxMessageBytes } = this.#options;
    const wire = wireOf(process.stdin, process.stdout, { maxMessageBytes, onMessage: (one) => this.#receive(one) });
    void this.#work(request, wire).then(
      (events) => {
        this.#emit(events);
        this.#queue.close();
      },
      (error: unknown) => this.#queue.close({ error }),
    );
    yield* this.#queue;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#queue.close();
    await this.#terminals?.close();
  }

  async #work(request: RunRequest, wire: Wire): Promise<Event[]> {
    const { process } = this.#options;
    const fail = async (why: Promise<unknown>): Promise<never> => {
      throw await why;
    };
    // The process and its output explain a failure better than the SDK's error.
    const broken = Promise.race([wire.ended.then(() => process.gone), process.gone]);
    const connection = await connect(wire, (id) => this.#takeReply(id));
    try {
      return await Promise.race([this.#turn(connection, request), fail(broken)]);
    } catch (error) {
      const closed = error instanceof Refusal ? error : await Promise.race([broken, delay(500)]);
      throw closed instanceof Refusal ? closed : requestFailed(error);
    } finally {
      connection.close();
    }
  }

  async #turn(connection: AgentConnection, request: RunRequest): Promise<Event[]> {
    const session = await this.#open(connection, request);
    const { signal } = this.#context;
    if (session.isLoaded) await this.#quiet();
    const prompt = await promptOf(request.messages, { ...session, knowsHistory: session.isLoaded }, this.#context);
    if (prompt.length === 0)
      throw new Refusal("empty-message", "The message contains nothing that the agent can read.");
    if (signal.aborted) return [];
    this.#options.thread.keep(session.id);
    this.#isPrompted = true;
    const gaveUp = Promise.withResolvers<undefined>();
    const cancel = (): void => {
      this.#decoder.cancel();
      connection.notify("session/cancel", { sessionId: session.id });
      void delay(CANCEL_MS).then(gaveUp.resolve);
    };
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const asked = connection.request("session/prompt", { sessionId: session.id, prompt });
      await Promise.race([asked, gaveUp.promise]);
      return this.#decoder.end(this.#result ?? { stopReason: "cancelled" });
    } catch (error) {
      if (signal.aborted) return this.#decoder.end({ stopReason: "cancelled" });
      throw error;
    } finally {
      this.#isPrompted = false;
      signal.removeEventListener("abort", cancel);
    }
  }

  async #open(connection: AgentConnection, request: RunRequest): Promise<Session> {
    const { cwd, thread, startTimeoutMs, terminals } = this.#options;
    const opening = openSession(connection, { cwd, session: thread.session, terminals: terminals !== undefined });
    const session = await Promise.race([opening, delay(startTimeoutMs), aborted(this.#context.signal)]);
    if (session === "aborted") throw new Refusal("cancelled", "The run was stopped while the agent was starting.");
    if (!session)
      throw new Refusal("agent-start-timeout", `The agent did not start within ${startTimeoutMs / 1000} s.`, {
        status: 504,
        retryable: true,
        hint: "the startTimeoutMs option of acp() sets this limit",
      });
    this.#session = session.id;
    this.#options.onSession(session);
    for (const kind of ["mode", "model"] as const) {
      const wanted = request[kind];
      const choice = session[kind];
      if (wanted === undefined || (choice && choice.current === wanted)) continue;
      const { method, params } = choice?.select(chosenFrom(choice, kind, wanted)) ?? unknown(kind, wanted);
      await connection.request(method, params);
    }
    const mode = request.mode ?? session.mode?.current;
    if (mode !== undefined) this.#emit([{ type: "data", name: "mode", value: mode }]);
    this.#emit([{ type: "data", name: "session", value: { id: session.id, continued: session.isLoaded } }]);
    if (thread.session !== undefined && !session.isLoaded) this.#emit([LOST]);
    return session;
  }

  /** Some agents replay the conversation after they report it as loaded. The replay must not count as the response. */
  async #quiet(): Promise<void> {
    for (let waited = 0, last = -1; waited < QUIET_LIMIT_MS && last !== this.#received; waited += QUIET_MS) {
      last = this.#received;
      await delay(QUIET_MS);
    }
  }

  #receive(message: Readonly<Record<string, unknown>>): Promise<void> | undefined {
    const { id, method } = message;
    this.#received++;
    const params = fieldsOf(message["params"]);
    if (typeof method !== "string") {
      const result = message["result"];
      if (fieldsOf(result)["stopReason"] !== undefined) this.#result = result;
    } else if (id !== undefined) this.#request(id, method, params);
    else if (method === "$/cancel_request") this.#asks.get(params["requestId"])?.withdraw();
    else if (method === "session/update" && this.#isOurs(params)) this.#emit(this.#decoder.update(params["update"]));
    return this.#queue.room();
  }

  /** Excludes what a session replays while it loads, and what follows the response. */
  #isOurs({ sessionId }: Readonly<Record<string, unknown>>): boolean {
    return this.#isPrompted && this.#result === undefined && sessionId === this.#session;
  }

  #request(id: unknown, method: string, params: Readonly<Record<string, unknown>>): void {
    if (method === "session/request_permission" || method === "elicitation/create") {
      const isForm = method === "elicitation/create";
      if (isForm && params["mode"] !== undefined && params["mode"] !== "form") return;
      if (!this.#isOurs(params))
        return void this.#replies.set(id, Promise.resolve(isForm ? { action: "cancel" } : NOBODY));
      const { ask, events } = isForm ? this.#decoder.form(params) : this.#decoder.permission(params);
      this.#emit(events);
      this.#replies.set(id, this.#answer(id, ask, isForm));
    } else if (method.startsWith("terminal/") && this.#terminals) {
      const reply = this.#terminals.handle(method, params);
      reply.catch(() => {});
      this.#replies.set(id, reply);
    }
  }

  #takeReply(id: unknown): Promise<unknown> | undefined {
    const reply = this.#replies.get(id);
    this.#replies.delete(id);
    return reply;
  }

  async #answer(id: unknown, ask: string, isForm: boolean): Promise<unknown> {
    const withdrawn = Promise.withResolvers<undefined>();
    const withdraw = (): void => {
      this.#emit(this.#decoder.withdrawn(ask));
      withdrawn.resolve(undefined);
    };
    this.#asks.set(id, { ask, withdraw });
    const ended = await Promise.race([this.#context.answerTo(ask), withdrawn.promise]);
    this.#asks.delete(id);
    const isCancelled = this.#context.signal.aborted || !ended;
    // An expired ask counts as denied.
    const answer = isCancelled ? undefined : ended.outcome === "expired" ? { allow: false } : ended.answer;
    const { reply, events } = this.#decoder.answered(ask, answer);
    this.#emit(events);
    return reply ?? (isForm ? { action: "cancel" } : NOBODY);
  }

  #emit(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === "tool-start") this.#cancelWith("call", event.call);
      else if (event.type === "agent-start") this.#cancelWith("agent", event.agent);
    }
    for (const event of events) this.#queue.push(event);
    if (this.#decoder.isHolding) this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
  }

  #tick(): void {
    const events = this.#decoder.tick();
    if (!this.#decoder.isHolding) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    this.#emit(events);
  }

  /** The protocol cannot stop a single call or sub-agent. Only a command in one of our terminals can be stopped. */
  #cancelWith(kind: "call" | "agent", id: string): void {
    const { signal } = this.#context;
    const stop = (): void => {
      if (signal.aborted) return;
      const terminal = this.#decoder.terminalOf(id);
      if (terminal !== undefined && this.#terminals?.has(terminal)) void this.#terminals.kill(terminal);
      else this.#emit([CANNOT_STOP]);
    };
    this.#context.signalOf(kind, id).addEventListener("abort", stop, { once: true });
  }
}

const delay = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined).unref());

const aborted = (signal: AbortSignal) =>
  new Promise<"aborted">((resolve) => {
    if (signal.aborted) resolve("aborted");
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });

const unknown = (kind: "mode" | "model", wanted: string): never => {
  throw new Error(chosenFrom(undefined, kind, wanted));
};

const NOBODY = { outcome: { outcome: "cancelled" } };

const CANNOT_STOP: Event = {
  type: "notice",
  level: "warning",
  text: "The agent cannot stop only part of its work, so that part may still be running. Stop the run to end it.",
};

const LOST: Event = {
  type: "notice",
  level: "info",
  text: "The agent could not load its earlier session. It starts a new one with the conversation as text.",
};
