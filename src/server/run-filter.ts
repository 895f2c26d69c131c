import type { RunInfo, RunQuery } from "../log.ts";
import { RUN_STATES, type RunListState, type RunRow, runStateOf } from "../protocol.ts";
import type { Principal } from "../access.ts";
import { Refusal } from "../source.ts";

/** Which runs a list contains. An absent field matches all. */
export interface RunFilter {
  /** `open`: working or waiting. */
  readonly state?: RunListState | "open";
  readonly agent?: string;
  /** Only runs of this user. */
  readonly user?: string;
  /** In lower case. */
  readonly text?: string;
}

const LONGEST_TEXT = 200;

/** The filter in the query of a request. Throws a Refusal if it is invalid. */
export const readFilter = (query: (name: string) => string | undefined, principal: Principal): RunFilter => {
  const state = query("state") || (query("open") === "1" ? "open" : undefined);
  const agent = query("agent");
  const text = query("search")?.trim().toLowerCase();
  if (state !== undefined && state !== "open" && !isState(state))
    throw new Refusal("bad-request", "there is no such state", { hint: `use open, ${RUN_STATES.join(", ")}` });
  if (text && text.length > LONGEST_TEXT)
    throw new Refusal("bad-request", "the search is too long", { hint: `use up to ${LONGEST_TEXT} characters` });
  return {
    ...(state !== undefined && { state }),
    ...(agent && { agent }),
    ...(text && { text }),
    ...(query("mine") === "1" && principal.user !== undefined && { user: principal.user }),
  };
};

const isState = (state: string): state is RunListState => (RUN_STATES as readonly string[]).includes(state);

/** The part of a filter that the log applies. */
export const queryOf = ({ state, agent, user }: RunFilter): Omit<RunQuery, "limit"> => ({
  ...((state === "open" || state === "working" || state === "waiting") && { open: true }),
  ...(agent !== undefined && { agent }),
  ...(user !== undefined && { user }),
});

/** Whether a run can match, before any of its entries are read. */
export const mayFit = (info: RunInfo, { state, agent, user }: RunFilter): boolean => {
  if (agent !== undefined && info.agent !== agent) return false;
  if (user !== undefined && info.user !== user) return false;
  if (state === undefined) return true;
  if (info.endedAt === undefined) return state === "open" || state === "working" || state === "waiting";
  return state === runStateOf(info);
};

export const fits = (row: RunRow, { state, text }: RunFilter): boolean => {
  if (state === "open" ? row.endedAt !== undefined : state !== undefined && runStateOf(row) !== state) return false;
  if (text === undefined) return true;
  const { run, title, user, name, agent, model, status, problem, asks = [] } = row;
  const words = [run, title, user, name, agent, model, status, problem, ...asks.map((ask) => ask.title)];
  return words.some((word) => word?.toLowerCase().includes(text));
};
