import { ADMIN, ALICE, PROVIDER_KEY, WORDS } from "./people.ts";
import type { Target } from "./target.ts";

/** One way to harm a server, or to get what belongs to somebody else. */
export interface Attack {
  readonly name: string;
  /** A program that it needs. Where that is absent it is left out, with a line that says so. */
  readonly needs?: string;
  /** What the server may report because of it. */
  readonly reports?: RegExp;
  /** Does what is no part of the attack, before anything is measured. */
  prepare(target: Target): Strike | Promise<Strike>;
}

/** The attack itself: at least one whole round, then more until the signal aborts. */
export type Strike = (report: Report, signal: AbortSignal) => Promise<void>;

/** A status, or what happened instead: the server closed the connection, or it keeps it open. */
export type Status = number | "closed" | "open";

export interface Report {
  /** How often the server gave each answer. */
  readonly answers: Map<string, number>;
  /** What must not have happened. */
  readonly wrong: Set<string>;
  /** Counts an answer. It is wrong if it is none of `allowed`, gives something away, or refuses without saying why. */
  answered(what: string, status: Status, allowed: readonly Status[], body?: string): void;
  /** Counts what was found out in another way. */
  expect(isRight: boolean, what: string): void;
}

/** Code and files of the server in an answer. */
const INTERNALS = /\n\s+at .+:\d+:\d+|node:internal|node_modules\//;

export const createReport = (directory: string): Report => {
  const answers = new Map<string, number>();
  const wrong = new Set<string>();
  const secrets = {
    "what Alice wrote": WORDS,
    "a key": ALICE,
    "the admin's key": ADMIN,
    "a provider's key": PROVIDER_KEY,
  };
  const count = (text: string) => answers.set(text, (answers.get(text) ?? 0) + 1);
  return {
    answers,
    wrong,
    answered: (what, status, allowed, body = "") => {
      count(`${status}`);
      if (!allowed.includes(status)) wrong.add(`${what}: ${status} ${body.slice(0, 200)}`);
      for (const [name, secret] of Object.entries(secrets))
        if (body.includes(secret)) wrong.add(`${what}: it gives away ${name}`);
      if (body.includes(directory)) wrong.add(`${what}: it gives away where the log is`);
      if (INTERNALS.test(body)) wrong.add(`${what}: it gives away code: ${body.slice(0, 200)}`);
      if (typeof status === "number" && status >= 400 && !explains(body))
        wrong.add(`${what}: ${status} without a reason: ${body.slice(0, 200)}`);
    },
    expect: (isRight, what) => {
      count(isRight ? "held" : "broken");
      if (!isRight) wrong.add(what);
    },
  };
};

/** Whether a refusal says why, in the words of whichever dialect. */
const explains = (body: string): boolean => /"(?:message|detail|error)":\s*"(?:[^"\\]|\\.){8,}/.test(body);

/** As often as the signal lets it, at least once. */
export const rounds = async (signal: AbortSignal, round: (count: number) => Promise<void>): Promise<void> => {
  for (let count = 0; count === 0 || !signal.aborted; count += 1) await round(count);
};

/** What is still open after this long stays open. */
const OPEN_MS = 2000;

/** Sends a request, counts its answer, and resolves with the body, as far as it came. */
export const send = async (
  report: Report,
  url: string,
  init: RequestInit,
  allowed: readonly Status[],
  openMs = OPEN_MS,
): Promise<string> => {
  const { pathname, search } = new URL(url);
  const what = `${init.method ?? "GET"} ${pathname}${search}`.slice(0, 200);
  const timeout = AbortSignal.timeout(openMs);
  let body = "";
  try {
    const response = await fetch(url, { redirect: "manual", ...init, signal: timeout });
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) body += decoder.decode(bytes, { stream: true });
    report.answered(what, response.status, allowed, init.method === "HEAD" ? '"message": "no body"' : body);
  } catch {
    report.answered(what, timeout.aborted ? "open" : "closed", allowed, body);
  }
  return body;
};
