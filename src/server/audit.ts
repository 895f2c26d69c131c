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

/** Who did what, without content or secrets. */
export interface AuditEntry {
  readonly at: number;
  /** A user's id, or the name of a key or link. */
  readonly who: string;
  /** The key or link that was used, if it differs from `who`. */
  readonly by?: string;
  readonly action: AuditedAction;
  /** The run that was acted on, or the name of the key or user. */
  readonly what: string;
}

export interface Audit {
  /** Records an action. Never throws and never waits. Failures are reported to `onError`. */
  note(principal: Principal, action: AuditedAction, what: string): void;
  /** Newest first. `next` is the cursor for the next page. */
  list(query: { limit: number; before?: string }): Promise<{ entries: AuditEntry[]; next?: string }>;
}

const KIND = "audit";
const KEPT_MS = 90 * 86_400_000;
/** Watching the same run again within this time, as reconnecting pages do, is not recorded. */
const WATCH_MS = 3_600_000;
const MAX_WATCHES = 10_000;

export const createAudit = (records: Records, onError: (error: unknown) => void): Audit => {
  const watches = new Map<string, number>();
  const isRepeated = (name: string): boolean => {
    const at = watches.get(name);
    if (at !== undefined && performance.now() - at < WATCH_MS) return true;
    watches.delete(name);
    watches.set(name, performance.now());
    if (watches.size > MAX_WATCHES) watches.delete(watches.keys().next().value!);
    return false;
  };
  return {
    note: (principal, action, what) => {
      const who = actorOf(principal);
      // Without names (no keys), there is no actor to record.
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
