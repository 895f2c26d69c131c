import { ADMIN, ALICE, PROVIDER_KEY, WORDS } from "./users.ts";
import type { Target } from "./target.ts";

/** One way to harm a server, or to access another user's data. */
export interface Attack {
  readonly name: string;
  /** A program that the attack needs. If it is missing, the attack is skipped with a note. */
  readonly needs?: string;
  /** Problems that the server may report because of it. */
  readonly reports?: RegExp;
  /** Prepares everything that is not part of the attack, before anything is measured. */
  prepare(target: Target): Strike | Promise<Strike>;
}

/** The attack itself: at least one complete round, then more until the signal aborts. */
export type Strike = (report: Report, signal: AbortSignal) => Promise<void>;

/** A status, or what happened instead: the server closed the connection, or keeps it open. */
export type Status = number | "closed" | "open";

export interface Report {
  /** The number of responses of each kind. */
  readonly answers: Map<string, number>;
  /** Violations. */
  readonly wrong: Set<string>;
  /** Counts a response. It is a violation if it is not in `allowed`, reveals something, or refuses without a reason. */
  answered(what: string, status: Status, allowed: readonly Status[], body?: string): void;
  /** Counts an observation other than a response. */
  expect(isRight: boolean, what: string): void;
}

/** Matches the server's code and file names in a response. */
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

/** Whether a refusal contains a reason, in the format of any dialect. */
const explains = (body: string): boolean => /"(?:message|detail|error)":\s*"(?:[^"\\]|\\.){8,}/.test(body);

/** Repeats until the signal aborts, at least once. */
export const rounds = async (signal: AbortSignal, round: (count: number) => Promise<void>): Promise<void> => {
  for (let count = 0; count === 0 || !signal.aborted; count += 1) await round(count);
};

/** A connection that is open after this time counts as kept open. */
const OPEN_MS = 2000;

/** Sends a request, counts its response, and resolves with the part of the body that was received. */
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
