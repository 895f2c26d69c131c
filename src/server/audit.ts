import { randomBytes } from "node:crypto";
import { type Principal, actorOf } from "../access.ts";
import type { Json } from "../events.ts";
import type { Records } from "../records.ts";

export const AUDITED = [
  "start",
  "watch",
  "answer",
  "cancel",
  "share",
  "revoke-link",
  "delete",
  "add-key",
  "revoke-key",
  "backup",
] as const;
export type AuditedAction = (typeof AUDITED)[number];

/** Who did what. No content, no secrets. */
export interface AuditEntry {
  readonly at: number;
  /** A user's id, or the name of a key or link. */
  readonly who: string;
  /** The key or link that was shown, if that is not `who`. */
  readonly by?: string;
  readonly action: AuditedAction;
  /** The run that it was done to, or the name of the key or user. */
  readonly what: string;
}

export interface Audit {
  /** Notes that somebody did something. Never throws and never waits: an audit that fails is reported. */
  note(principal: Principal, action: AuditedAction, what: string): void;
  /** Newest first; `next` is where to go on. */
  list(query: { limit: number; before?: string }): Promise<{ entries: AuditEntry[]; next?: string }>;
}

const KIND = "audit";
const KEPT_MS = 90 * 86_400_000;
/** Who watches a run again within this time, as pages do that reconnect, is not noted again. */
const WATCH_MS = 3_600_000;
const MOST_WATCHES = 10_000;

export const createAudit = (records: Records, onError: (error: unknown) => void): Audit => {
  const watches = new Map<string, number>();
  const isRepeated = (name: string): boolean => {
    const at = watches.get(name);
    if (at !== undefined && performance.now() - at < WATCH_MS) return true;
    watches.delete(name);
    watches.set(name, performance.now());
    if (watches.size > MOST_WATCHES) watches.delete(watches.keys().next().value!);
    return false;
  };
  return {
    note: (principal, action, what) => {
      const who = actorOf(principal);
      // Where nobody has a name there is nobody to tell of.
      if (who === undefined) return;
      if (action === "watch" && isRepeated(`${who} ${what}`)) return;
      const at = Date.now();
      const entry = { at, who, ...(principal.name !== who && { by: principal.name }), action, what };
      const id = `${at.toString(36).padStart(9, "0")}-${randomBytes(6).toString("hex")}`;
      records.put(KIND, id, entry satisfies AuditEntry as unknown as Json, { ttlMs: KEPT_MS }).catch(onError);
    },
    list: async ({ limit, before }) => {
      const found = await records.list(KIND, { limit: limit + 1, ...(before !== undefined && { before }) });
      const page = found.slice(0, limit);
      const next = found.length > limit ? page.at(-1)?.id : undefined;
      const entries = page.map(({ value }) => value as unknown as AuditEntry);
      return { entries, ...(next !== undefined && { next }) };
    },
  };
};
