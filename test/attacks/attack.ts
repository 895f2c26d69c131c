import type { Target } from "./target.ts";
import { SECRET } from "./target.ts";

/** One way to harm a server or to get what is not one's own. Goes on until the signal aborts. */
export interface Attack {
  readonly name: string;
  run(target: Target, report: Report, signal: AbortSignal): Promise<void>;
}

export interface Report {
  /** How often the server answered with each status, or closed the connection. */
  readonly answers: Map<string, number>;
  /** What must not have happened. */
  readonly wrong: Set<string>;
  /** Counts an answer. One that is none of `allowed`, or that holds Alice's words, is wrong. */
  answered(what: string, status: number | "closed", allowed: readonly (number | "closed")[], body?: string): void;
}

export const createReport = (): Report => {
  const answers = new Map<string, number>();
  const wrong = new Set<string>();
  return {
    answers,
    wrong,
    answered: (what, status, allowed, body = "") => {
      answers.set(`${status}`, (answers.get(`${status}`) ?? 0) + 1);
      if (!allowed.includes(status)) wrong.add(`${what}: ${status}`);
      if (body.includes(SECRET)) wrong.add(`${what}: it tells what Alice said`);
    },
  };
};

const LONGEST_MS = 10_000;

/** Sends a request and counts its answer. */
export const send = async (
  report: Report,
  url: string,
  init: RequestInit,
  allowed: readonly (number | "closed")[],
): Promise<void> => {
  const what = `${init.method ?? "GET"} ${new URL(url).pathname}`;
  try {
    // A stream that was opened by mistake would never end.
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(LONGEST_MS), ...init });
    report.answered(what, response.status, allowed, await response.text());
  } catch {
    report.answered(what, "closed", allowed);
  }
};
