import type { Ability, Conversation, Driver, Viewer } from "./driver.ts";
import type { Faults, Line } from "./line.ts";
import type { Random } from "./random.ts";
import type { Scene, Script } from "./stage.ts";

/**
 * One thing that a server can or cannot do. One file each.
 *
 * - It uses its own lines and scenes, so trials do not disturb each other.
 * - The same seed repeats the trial. An error is a "no".
 * - It can fail: a mutant in `scripts/mutants/torture.ts` shows that.
 */
export interface Trial {
  readonly name: string;
  /** What a "yes" means, in a few words. */
  readonly shows: string;
  /** The trial fails after this time. */
  readonly limitMs: number;
  /** The trial mostly waits, so it runs in parallel with the others. It comes after them and before trials that kill the server. */
  readonly isIdle?: true;
  /** The trial kills and restarts the server, each once. Such trials run together and come last. */
  readonly kills?: true;
  run(context: TrialContext): Promise<Finding>;
}

export interface Finding {
  readonly verdict: "yes" | "no" | "n/a";
  readonly because: string;
  readonly numbers?: Readonly<Record<string, number>>;
  /** For an idle trial: nothing that ran in parallel can have caused the "no". A "yes" is always sure. */
  readonly isSure?: true;
}

export interface TrialContext {
  readonly driver: Driver;
  readonly random: Random;
  /** Smaller amounts, for tests. */
  readonly isShort: boolean;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  line(faults?: Faults): Line;
  /** Scripts what the model does when it gets this scene's message. */
  play(script: Script): Scene;
  /** The evidence for a "no" is what was exchanged until the first call, not what follows. */
  keepEvidence(): void;
  /** Kills and starts the server. Undefined if the kit did not start it. */
  readonly restart: Restart | undefined;
}

export interface Restart {
  kill(): Promise<void>;
  start(): Promise<void>;
}

export const yes = (because: string, numbers?: Finding["numbers"]): Finding => ({
  verdict: "yes",
  because,
  ...(numbers && { numbers }),
});
export const no = (because: string, numbers?: Finding["numbers"]): Finding => ({
  verdict: "no",
  because,
  ...(numbers && { numbers }),
});
export const notApplicable = (because: string): Finding => ({ verdict: "n/a", because });

/** Ends a trial from within. */
export class Ended extends Error {
  readonly finding: Finding;
  constructor(finding: Finding) {
    super(finding.because);
    this.finding = finding;
  }
}

/** Ends the trial with a "no" unless this holds. */
export const must = (holds: boolean, because: string): void => {
  if (!holds) throw new Ended(no(because));
};

/** Ends the trial with a "no" unless this viewer has seen the run succeed. `when` begins the reason. */
export const mustSucceed = ({ screen: { end, problem }, refusal }: Viewer, when = ""): void => {
  const why = problem ?? refusal;
  const ending = end === undefined ? "the run does not end" : `the run ends as ${end}`;
  must(end === "done", `${when}${ending}${why ? `: ${why}` : ""}`.slice(0, 300));
};

/** A method of the conversation. If it has none, the trial ends with a "no" and the driver's reason. */
export const able = <Name extends "resume" | "follow" | "cancel" | "answer">(
  { driver }: TrialContext,
  conversation: Conversation,
  name: Name,
): NonNullable<Conversation[Name]> => {
  const method = conversation[name];
  if (!method) throw new Ended(no(driver.cannot[name as Ability] ?? `its client cannot ${name}`));
  return method.bind(conversation) as NonNullable<Conversation[Name]>;
};

/** The trial does not apply to an agent that lacks the tools of the scene. */
export const needTools = ({ missing }: Scene): void => {
  if (missing.size > 0) throw new Ended(notApplicable(`its agent has no tool named ${[...missing].join(", ")}`));
};

export const needRestart = ({ restart }: TrialContext): Restart => {
  if (!restart) throw new Ended(notApplicable("only a server started with --command can be killed"));
  return restart;
};

/** Waits until the server has stored the run: some servers save what they have every ten seconds. */
export const stored = async ({ isShort }: TrialContext): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve, isShort ? 1000 : 12_000));
};

/** Resolves when this holds or the time is up. */
export const eventually = async (holds: () => boolean, withinMs: number): Promise<void> => {
  for (const end = Date.now() + withinMs; !holds() && Date.now() < end;)
    await new Promise((resolve) => setTimeout(resolve, 20));
};

/** Where a text differs from what it should be. */
export const difference = (what: string, text: string, wanted: string): string => {
  let at = 0;
  while (at < wanted.length && text[at] === wanted[at]) at++;
  const lengths = text.length === wanted.length ? "" : ` (${text.length} of ${wanted.length} characters)`;
  const excerpt = (value: string) => JSON.stringify(value.slice(at, at + 20));
  return `${what} differs at character ${at}${lengths}: ${excerpt(text)} instead of ${excerpt(wanted)}`;
};
