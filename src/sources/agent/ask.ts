import type { Answer, AskOutcome, EventOf } from "../../events.ts";
import type { Running, Worker } from "./running.ts";
import { pause } from "./until.ts";

export type Asked = Omit<EventOf<"ask-start">, "type" | "ask" | "agent">;
export interface Answered {
  readonly outcome: AskOutcome;
  readonly answer?: Answer;
}

const CLOSING_MS = 50;

/**
 * Asks the user and waits. The runner ends the ask on an answer, an expiry or a cancel. Other causes, such as a call's
 * own timeout, end it here, after a short wait that lets the runner go first.
 */
export const askPerson = async (
  { run, emit }: { readonly run: Running; readonly emit: Worker["emit"] },
  asked: Asked,
  signal: AbortSignal,
  ask = run.newId("ask"),
): Promise<Answered> => {
  if (signal.aborted) return { outcome: "cancelled" };
  emit({ type: "ask-start", ask, ...asked });
  await run.queue.taken();
  return await awaitAnswer({ run, emit }, ask, signal);
};

/** Waits for the end of an ask that is in the log. */
export const awaitAnswer = async (
  { run, emit }: { readonly run: Running; readonly emit: Worker["emit"] },
  ask: string,
  signal: AbortSignal,
): Promise<Answered> => {
  const settled = run.context.answerTo(ask);
  const left = Promise.withResolvers<undefined>();
  const leave = () => void pause(CLOSING_MS).then(() => left.resolve(undefined));
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave, { once: true });
  const answered = await Promise.race([settled, left.promise]);
  signal.removeEventListener("abort", leave);
  if (answered) return answered;
  emit({ type: "ask-end", ask, outcome: "cancelled" });
  return { outcome: "cancelled" };
};

export const expiry = (ms: number | undefined): { expires?: number } =>
  ms === undefined ? {} : { expires: Date.now() + ms };
