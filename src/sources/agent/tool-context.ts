import type { Event, Json } from "../../events.ts";
import type { ToolText, ToolContext } from "../../tool.ts";
import { type Asked, askPerson, expiry } from "./ask.ts";
import type { Clock } from "./clock.ts";
import type { PastAgent } from "./past.ts";
import { toMessages } from "./prompt.ts";
import type { Worker } from "./running.ts";

export interface OpenContext {
  readonly context: ToolContext;
  readonly written: { readonly stdout: number; readonly stderr: number };
  /** Ends what the tool left open and disables the context. Resolves when the call's sub-agents and asks have ended. */
  close(cut: boolean): Promise<void>;
}

/** The context through which a call acts on the run. */
export const toolContext = (
  worker: Worker,
  call: string,
  signal: AbortSignal,
  clock: Clock,
  /** Sub-agents that the call had started before it was cut. The call continues with them. */
  children: readonly PastAgent[] = [],
): OpenContext => {
  const earlier = [...children];
  const { run, definition, prompt, model } = worker;
  const { request } = run;
  const written = { stdout: 0, stderr: 0 };
  const texts = new Map<string, ToolText>();
  const busy = new Set<Promise<unknown>>();
  const ending = new AbortController();
  const ends = AbortSignal.any([signal, ending.signal]);
  let open = true;

  const emit = (event: Event) => {
    if (open) worker.emit(event);
  };
  /** Waits for work that ends with the call but does not count toward its time limit. */
  const untimed = async <Value>(work: Promise<Value>): Promise<Value> => {
    busy.add(work);
    clock.pause();
    try {
      return await work;
    } finally {
      busy.delete(work);
      clock.resume();
    }
  };
  const ask = async (asked: Omit<Asked, "call">, expiresMs: number | undefined) => {
    if (!open) return undefined;
    const asking = askPerson(worker, { ...asked, call, ...expiry(expiresMs) }, ends);
    const { outcome, answer } = await untimed(asking);
    return outcome === "answered" ? answer : undefined;
  };

  const say = (text: string): ToolText => {
    let part = "";
    let isOpen = false;
    const start = (words: string) => {
      const replaces = part;
      part = run.fresh("part");
      isOpen = open;
      emit({ type: "text-start", part, call, ...(replaces !== "" && { replaces }) });
      if (open) texts.set(part, handle);
      more(words);
    };
    const more = (delta: string) => {
      if (isOpen && delta !== "") emit({ type: "text-delta", part, delta });
    };
    const end = (cut = false) => {
      if (isOpen) emit({ type: "text-end", part, ...(cut && { cut }) });
      isOpen = false;
      texts.delete(part);
    };
    const replace = (words: string) => {
      end();
      start(words);
    };
    const handle: ToolText = Object.assign((delta: string) => more(delta), { end, replace });
    start(text);
    return handle;
  };

  const context: ToolContext = {
    call,
    signal: ends,
    status: (text) => emit({ type: "status", text, call }),
    progress: ({ fraction, note, value }) =>
      emit({
        type: "tool-progress",
        call,
        ...(note !== undefined && { note }),
        // Drop NaN, which a tool gets from 0 / 0 if there is nothing to do.
        ...(fraction !== undefined && !Number.isNaN(fraction) && { fraction: Math.min(1, Math.max(0, fraction)) }),
        ...(value !== undefined && { value }),
      }),
    output(text, stream = "stdout") {
      if (!open || text === "") return;
      written[stream] += Buffer.byteLength(text);
      emit({ type: "tool-output-delta", call, stream, delta: text });
    },
    say,
    cite: (source) => emit({ type: "citation", citation: run.fresh("citation"), ...source, call }),
    async file({ name, mediaType, change = "created", ...content }) {
      if (!open) return;
      const file = { type: "file" as const, name, ...(mediaType !== undefined && { mediaType }), change, call };
      if ("url" in content) return emit({ ...file, url: content.url });
      const keep = { mediaType: mediaType ?? "application/octet-stream", name };
      const kept = await run.context.put(content.bytes, keep);
      emit({ ...file, file: kept.file, bytes: kept.bytes });
    },
    embed: ({ id, origins, ...rest }) =>
      emit({
        type: "embed",
        embed: id ?? run.fresh("embed"),
        ...rest,
        ...(origins && { origins: [...origins] }),
        call,
      }),
    notify: (text, level = "info") => emit({ type: "notice", level, text, call }),
    data: (name, value, id) => emit({ type: "data", name, ...(id !== undefined && { id }), value, call }),
    confirm: async ({ expiresMs, ...asked }) =>
      (await ask({ kind: "confirmation", ...asked, allows: ["reason"] }, expiresMs))?.allow ?? false,
    async ask({ expiresMs, options, ...asked }) {
      const kind = options ? "choice" : "input";
      const answer = await ask({ kind, ...asked, ...(options && { options: [...options] }) }, expiresMs);
      return answer?.allow === false ? null : answer?.value;
    },
    async execute(code, { expiresMs } = {}) {
      const answer = await ask({ kind: "execute", value: code }, expiresMs);
      return answer?.value;
    },
    async agent(invocation) {
      if (!open) return { agent: "", outcome: "cancelled", text: "" };
      const past = earlier.shift();
      return untimed(
        past ? run.subagents.resume(worker, past, ends) : run.subagents.start(worker, invocation, call, ends),
      );
    },
    cancel(reason) {
      if (open) run.cancel(reason);
    },
    user: request.user,
    thread: request.thread,
    run: run.context.run,
    get messages() {
      return toMessages(prompt);
    },
    files: [
      ...request.messages.flatMap(({ role, content }) =>
        role === "user" ? content.filter((part) => part.type === "file") : [],
      ),
      ...(request.files ?? []),
    ],
    model: model.modelId,
    metadata: (request.metadata ?? {}) as Record<string, Json>,
    settings: (request.settings ?? {}) as Record<string, Json>,
    credentials: (name) => request.secrets?.[name] ?? process.env[name],
    put: (bytes, file) => run.context.put(bytes, file),
  };

  return {
    context,
    written,
    async close(cut) {
      ending.abort({ code: "ended", message: `The call to ${definition.name} has ended.` });
      await Promise.allSettled(busy);
      for (const isOpen of texts.values()) (isOpen.end as (cut?: boolean) => void)(cut);
      open = false;
    },
  };
};
