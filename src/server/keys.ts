import { createHash, randomBytes } from "node:crypto";
import { type Key, type Principal, principalOf } from "../access.ts";
import type { Json } from "../events.ts";
import type { Records } from "../records.ts";
import { Refusal } from "../source.ts";

/** A key created while the server runs. Only its hash is stored. */
export interface StoredKey extends Omit<Key, "key"> {
  /** Milliseconds since 1970. */
  readonly created: number;
  /** The actor who created it. */
  readonly by?: string;
}

export interface Keys {
  /** The holder of the key. Undefined if the key is unknown. */
  find(key: string): Promise<Principal | undefined>;
  /** Whether a key with this hash exists. */
  knows(hash: string): Promise<boolean>;
  /** Creates a key and returns it this one time. Throws a Refusal if the name is taken. */
  add(wanted: Omit<StoredKey, "created">): Promise<string>;
  list(): Promise<StoredKey[]>;
  /** Returns false if there is no such key. */
  revoke(name: string): Promise<boolean>;
}

export interface KeysOptions {
  readonly records: Records;
  /** The keys of the configuration, whose names are taken. */
  readonly configured: readonly Key[];
}

const KIND = "key";
/** Names of keys that are being created, because nothing is atomic across records. */
const NAME_KIND = "key-name";
/** Longer than creating a key takes, and short enough to free the name after a crash. */
const NAME_MS = 60_000;
const PREFIX = "rck_";
const MAX_KEYS = 1000;
/** How long it may take until a key revoked by another process is refused. */
const KEPT_MS = 5000;

export const looksLikeKey = (text: string): boolean => text.startsWith(PREFIX);

/** Identifies a key where the key itself must not appear. */
export const keyHash = (key: string): string => createHash("sha256").update(`runcast-key\n${key}`).digest("base64url");

export const createKeys = ({ records, configured }: KeysOptions): Keys => {
  const hashes = new Set(configured.map(({ key }) => keyHash(key)));
  const looked = new Map<string, { readonly at: number; readonly found: StoredKey | undefined }>();

  let revocations = 0;

  const lookUp = async (hash: string): Promise<StoredKey | undefined> => {
    const known = looked.get(hash);
    if (known && performance.now() - known.at < KEPT_MS) return known.found;
    const before = revocations;
    const found = (await records.get(KIND, hash)) as unknown as StoredKey | undefined;
    // The key may have been revoked after it was read.
    if (revocations !== before) return found;
    if (looked.size >= MAX_KEYS) looked.clear();
    looked.set(hash, { at: performance.now(), found });
    return found;
  };
  const all = () => records.list(KIND, { limit: MAX_KEYS });
  const create = async (wanted: Omit<StoredKey, "created">): Promise<string> => {
    const kept = await all();
    const isTaken =
      configured.some(({ name }) => name === wanted.name) || kept.some((each) => nameOf(each) === wanted.name);
    if (isTaken) throw taken(wanted.name);
    if (kept.length >= MAX_KEYS)
      throw new Refusal("too-many-keys", `the server already has ${MAX_KEYS} keys`, {
        status: 409,
        hint: "revoke some",
      });
    const key = PREFIX + randomBytes(32).toString("base64url");
    await records.put(KIND, keyHash(key), JSON.parse(JSON.stringify({ ...wanted, created: Date.now() })) as Json);
    return key;
  };

  return {
    find: async (key) => {
      const hash = keyHash(key);
      const found = looksLikeKey(key) ? await lookUp(hash) : undefined;
      return found && { ...principalOf({ ...found, key }), key: hash, isRevocable: true };
    },
    knows: async (hash) => hashes.has(hash) || (await lookUp(hash)) !== undefined,
    add: async (wanted) => {
      const { name } = wanted;
      if (!(await records.put(NAME_KIND, name, true, { ttlMs: NAME_MS, ifAbsent: true }))) throw taken(name);
      try {
        return await create(wanted);
      } catch (error) {
        await records.delete(NAME_KIND, name);
        throw error;
      }
    },
    list: async () => {
      const keys = (await all()).map(({ value }) => value as unknown as StoredKey);
      return keys.toSorted((one, other) => other.created - one.created);
    },
    revoke: async (name) => {
      const found = (await all()).filter((each) => nameOf(each) === name);
      let isRevoked = false;
      for (const { id } of found) {
        if (await records.delete(KIND, id)) isRevoked = true;
        revocations++;
        looked.delete(id);
      }
      // Another request may be creating a key with this name. Its name stays taken.
      if (isRevoked) await records.delete(NAME_KIND, name);
      return isRevoked;
    },
  };
};

const taken = (name: string): Refusal =>
  new Refusal("key-taken", `a key named ${name} already exists`, {
    status: 409,
    hint: "choose another name, or revoke that one",
  });

const nameOf = ({ value }: { readonly value: Json }): string => (value as unknown as StoredKey).name;
