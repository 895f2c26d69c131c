import type { EndedRun, ObservedRun } from "./runner.ts";
import type { Event } from "./events.ts";

type Fields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/**
 * The server's log as JSON Lines. Contains ids, names, numbers, and codes, but no content from users, models, or tools,
 * and no error messages, which may quote it, unless `withMessages` is set.
 */
export const createJsonLines = (write: (line: string) => void, withMessages: boolean, now = () => new Date()) => {
  const line = (level: "info" | "warn" | "error", event: string, fields: Fields = {}): void =>
    write(`${JSON.stringify({ time: now().toISOString(), level, event, ...fields })}\n`);
  const began = new Map<string, number>();
  return {
    line,
    problem: (error: unknown, about: string): void => {
      const { name, code, message, stack } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
      line("error", about, {
        name: typeof name === "string" ? name : typeof error,
        code: typeof code === "string" ? code : undefined,
        message: withMessages ? (message ?? String(error)) : undefined,
        stack: framesOf(stack),
      });
    },
    observe: ({ run, agent }: ObservedRun, event: Event): void => {
      if (event.type === "run-start") {
        began.set(run, now().getTime());
        line("info", "run-start", { run, agent: agent.name, thread: event.thread, model: event.model });
      } else if (event.type === "run-resume")
        line("info", "run-resume", { run, agent: agent.name, reason: event.reason });
    },
    runEnded: ({ run, end }: EndedRun): void => {
      const since = began.get(run);
      began.delete(run);
      line(end.outcome === "error" ? "warn" : "info", "run-end", {
        run,
        outcome: end.outcome,
        code: end.error?.code,
        ms: since === undefined ? undefined : now().getTime() - since,
        inputTokens: end.usage?.input,
        outputTokens: end.usage?.output,
        cost: end.usage?.cost,
      });
    },
    refused: ({ status, code }: { readonly status: number; readonly code: string }): void =>
      line(status >= 500 ? "error" : "warn", "refused", { status, code }),
  };
};

export type JsonLines = ReturnType<typeof createJsonLines>;

/** The stack frames, without the message that a stack starts with. */
const framesOf = (stack: string | undefined): readonly string[] | undefined =>
  stack
    ?.split("\n")
    .filter((text) => /^\s+at /.test(text))
    .slice(0, 10)
    .map((text) => text.trim().slice(3));
