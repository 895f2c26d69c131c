import { readFileSync } from "node:fs";
import type { Answer, Entry, Event, EventOf, Json } from "../../src/events.ts";
import { memory } from "../../src/logs/memory.ts";
import { approvalsOf } from "../../src/protocol.ts";
import { createRunner } from "../../src/runner.ts";
import { Refusal } from "../../src/source.ts";
import type { Exit } from "../../src/sources/acp/call-content.ts";
import { Decoder } from "../../src/sources/acp/decoder.ts";

/** The messages between a client and an agent, one line each. */
export interface Line {
  readonly at: number;
  readonly from: "client" | "agent" | "driver" | "stdout" | "stderr";
  readonly message?: Message;
  readonly note?: string;
}
type Message = { readonly id?: unknown; readonly method?: string; readonly params?: any; result?: any; error?: any };

/** One prompt of a recording: the decoder's events, and the messages it received. */
export interface Replayed {
  readonly events: readonly Event[];
  readonly updates: readonly any[];
  readonly permissions: readonly { readonly toolCall: any; readonly allow: boolean | undefined }[];
  readonly forms: number;
  readonly isCancelled: boolean;
  /** The response to the prompt. Undefined if the agent died before it. */
  readonly answer: Message | undefined;
}

export const linesIn = (file: string): readonly Line[] =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

interface Prompt {
  readonly id: unknown;
  readonly session: string;
  readonly decoder: Decoder;
  readonly events: Event[];
  readonly updates: any[];
  readonly permissions: { toolCall: any; allow: boolean | undefined }[];
  forms: number;
  isCancelled: boolean;
  answer: Message | undefined;
}

/** Replays every prompt of a recording to its own decoder, as a client would. */
export const replay = (lines: readonly Line[]): readonly Replayed[] => {
  const prompts: Prompt[] = [];
  const isOpen = (session: string) => prompts.find((one) => one.session === session && !one.answer);
  /** The agent's requests that the client has not answered yet. */
  const requests = new Map<unknown, (answer: Message) => void>();
  const asks = new Map<unknown, { prompt: Prompt; ask: string }>();
  const terminals = new Map<string, string>();
  let count = 0;

  const asked = (message: Message, prompt: Prompt, kind: "permission" | "form"): void => {
    const { ask, events } = prompt.decoder[kind](message.params);
    prompt.events.push(...events);
    asks.set(message.id, { prompt, ask });
    const entry = { toolCall: message.params?.toolCall, allow: undefined as boolean | undefined };
    if (kind === "permission") prompt.permissions.push(entry);
    else prompt.forms++;
    requests.set(message.id, ({ result }) => {
      const isOver = prompt.events.some((event) => event.type === "ask-end" && event.ask === ask);
      if (!asks.delete(message.id) || isOver) return;
      const started = prompt.events.findLast((event) => event.type === "ask-start" && event.ask === ask);
      const answer =
        kind === "permission" ? permitted(started as EventOf<"ask-start">, message, result) : filled(result);
      entry.allow = answer?.allow;
      const agent = started?.agent === undefined ? {} : { agent: started.agent };
      const outcome = answer ? "answered" : "cancelled";
      prompt.events.push({ type: "ask-end", ask, outcome, ...(answer && { answer }), ...agent });
      prompt.events.push(...prompt.decoder.answered(ask, answer).events);
    });
  };

  const toClient = (message: Message): void => {
    const prompt = isOpen(message.params?.sessionId);
    if (message.method === undefined) {
      const answered = prompts.find((one) => one.id === message.id && !one.answer);
      if (!answered) return;
      answered.answer = message;
      if (message.result) answered.events.push(...answered.decoder.end(message.result));
    } else if (message.method === "$/cancel_request") {
      const open = asks.get(message.params?.requestId);
      if (open && asks.delete(message.params?.requestId))
        open.prompt.events.push(...open.prompt.decoder.withdrawn(open.ask));
    } else if (!prompt || !message.params) return;
    else if (message.method === "session/update") {
      prompt.updates.push(message.params.update);
      prompt.events.push(...prompt.decoder.update(message.params.update));
    } else if (message.method === "session/request_permission") asked(message, prompt, "permission");
    else if (message.method === "elicitation/create") asked(message, prompt, "form");
    else if (typeof message.method === "string" && message.method.startsWith("terminal/"))
      requests.set(message.id, ({ result }) => {
        const id = textOf(result?.terminalId ?? message.params.terminalId);
        const whole = textOf(result?.output ?? terminals.get(id));
        const exit = exitIn(result?.exitStatus ?? (message.method === "terminal/wait_for_exit" ? result : undefined));
        prompt.events.push(...prompt.decoder.terminal(id, whole.slice(terminals.get(id)?.length ?? 0), exit));
        terminals.set(id, whole);
      });
  };

  const toAgent = (message: Message): void => {
    if (message.method === "session/prompt")
      prompts.push({
        id: message.id,
        session: message.params?.sessionId,
        decoder: new Decoder({ newId: (kind) => `${kind}${++count}` }),
        events: [],
        updates: [],
        permissions: [],
        forms: 0,
        isCancelled: false,
        answer: undefined,
      });
    else if (message.method === "session/cancel")
      for (const prompt of prompts.filter((one) => one.session === message.params?.sessionId && !one.answer)) {
        prompt.decoder.cancel();
        prompt.isCancelled = true;
      }
    else if (message.method === undefined) {
      requests.get(message.id)?.(message);
      requests.delete(message.id);
    }
  };

  for (const { from, message } of lines) if (message) (from === "agent" ? toClient : toAgent)(message);
  return prompts;
};

/** A client makes this itself, so it is well-formed even where an agent is hostile. */
const exitIn = (value: any): Exit | undefined => {
  const { exitCode = null, signal = null } = value ?? {};
  const isCode = exitCode === null || typeof exitCode === "number";
  return value && isCode && (signal === null || typeof signal === "string") ? { exitCode, signal } : undefined;
};

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const permitted = (started: EventOf<"ask-start">, { params }: Message, result: any): Answer | undefined => {
  const options = Array.isArray(params?.options) ? params.options : [];
  const chosen = options.find((one: any) => one?.optionId === result?.outcome?.optionId);
  if (typeof chosen?.kind !== "string") return undefined;
  const allow = chosen.kind.startsWith("allow");
  const option = approvalsOf(started).find(({ id }) => id === chosen.optionId);
  return { allow, ...(option && option.allow === allow && { option: option.id }) };
};

const filled = (result: any): Answer | undefined =>
  result?.action === "accept"
    ? { value: (result.content ?? null) as Json }
    : result?.action === "decline"
      ? { value: null }
      : undefined;

/** The log that a runner writes for these events. */
export const logOf = async ({ events, answer, isCancelled }: Replayed): Promise<readonly Entry[]> => {
  const log = memory();
  const runner = createRunner({ log, graceMs: 10 });
  const source = async function* () {
    yield* events;
    if (!answer && !isCancelled) throw new Refusal("agent-exited", "The agent's process ended.");
    if (answer?.error) throw new Refusal(`acp-${answer.error.code}`, String(answer.error.message));
  };
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "go" }] }];
  const { run } = await runner.start({ messages }, { name: "recorded", source }).catch((error: unknown) => {
    throw new Error("nothing was said before the failure", { cause: error });
  });
  while ((await log.info(run))?.endedAt === undefined) await new Promise((resolve) => setImmediate(resolve));
  await runner.close();
  return await log.read(run, 0, 1_000_000);
};
