import { createHash } from "node:crypto";
import type { Json, Message, Part } from "./events.ts";

/**
 * Creates the ids of a run's calls and asks. They are unique across runs, because clients keep several runs in one
 * conversation and look things up by id. They are short and plain enough for every provider (`call_4kq2x81m0f_1`). A
 * source that continues a run passes `part`, such as the seq it continues from, to avoid repeating earlier ids.
 */
export const createIds = (run: string, part = 0): ((kind: "call" | "ask") => string) => {
  const hash = createHash("sha256").update(`${run} ${part}`).digest();
  const seed = hash.readBigUInt64BE().toString(36).padStart(10, "0").slice(-10);
  const counts = { call: 0, ask: 0 };
  return (kind) => `${kind}_${seed}_${++counts[kind]}`;
};

/** A call's `meta`, with the provider's id for the call. */
export const withProviderId = (id: string, meta: unknown): { meta: Json } => ({
  meta: { ...(meta as { [key: string]: Json } | undefined), runcast: { id } },
});

/** The provider's id for a call, and the rest of its `meta`. */
export const splitProviderId = (meta: Json | undefined): { id: string | undefined; meta: Json | undefined } => {
  if (typeof meta !== "object" || meta === null || Array.isArray(meta)) return { id: undefined, meta };
  const { runcast, ...rest } = meta;
  const id = typeof runcast === "object" && runcast !== null && "id" in runcast ? runcast["id"] : undefined;
  return {
    id: typeof id === "string" ? id : undefined,
    meta: Object.keys(rest).length > 0 ? rest : undefined,
  };
};

/** Ids that every provider accepts. */
const PLAIN = /^[\w-]{1,64}$/;

/**
 * The id to send to a provider for each call of a conversation, by our id: the provider's own id if it is known and
 * unique, else ours, else (for a client's id that providers would reject) a hash.
 */
export const providerIds = (messages: readonly Message[]): ReadonlyMap<string, string> => {
  const calls = messages.flatMap(({ content }) => content.filter((part): part is CallPart => part.type === "call"));
  const taken = new Set<string>();
  const ids = new Map<string, string>();
  for (const { call, meta } of calls) {
    const own = splitProviderId(meta).id;
    const id = own !== undefined && !taken.has(own) ? own : PLAIN.test(call) ? call : plain(call);
    taken.add(id);
    ids.set(call, id);
  }
  return ids;
};

type CallPart = Extract<Part, { type: "call" }>;

const plain = (id: string): string => `call_${createHash("sha256").update(id).digest("hex").slice(0, 24)}`;
