import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Json } from "../events.ts";
import type { RunInfo } from "../log.ts";
import type { Records } from "../records.ts";
import { Refusal } from "../source.ts";

/** A share link: gives access to one run to everyone who has it. */
export interface Link {
  readonly id: string;
  readonly run: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly expires: number;
  /** The actor who created it. */
  readonly by?: string;
  /** Also allows answering the run's asks. */
  readonly answer?: true;
  /** Also shows the request: the system prompt, earlier messages, and the user. */
  readonly request?: true;
  /** Created automatically for the URLs of files and pages in a chat's messages. */
  readonly chat?: true;
}

export interface NewLink extends Omit<Link, "id" | "created"> {
  /** The hash of the creator's key. The link expires with the key. */
  readonly key?: string | undefined;
}

/**
 * Share links. A token contains a run and a link and is signed, so guesses cost no read from the log. A record
 * stores its rights and expiry. Without a record, there is no access.
 */
export interface Links {
  create(wanted: NewLink): Promise<{ readonly link: Link; readonly token: string }>;
  /** `wrong`: not one of our tokens. `gone`: expired or revoked, or the key that created it was. */
  find(token: string): Promise<Link | "wrong" | "gone">;
  /** The valid links, newest first. */
  list(run: string): Promise<Link[]>;
  /** Returns false if there is no such link. */
  revoke(run: string, id: string): Promise<boolean>;
  /** Deletes all links of a deleted run. */
  forget(run: string): Promise<void>;
  /**
   * The token for URLs in a chat's messages. The link is created on first use of the token. A link that allows
   * answering is for the view of a running run. After the run's end there is nothing to answer.
   */
  chatToken(
    info: Pick<RunInfo, "run" | "startedAt">,
    maker: Pick<NewLink, "by" | "key" | "answer"> & { readonly until?: number | undefined },
  ): Promise<() => string | undefined>;
}

export interface LinksOptions {
  readonly records: Records;
  /** Signs the tokens. Default: a secret stored with the log. */
  readonly secret: string | undefined;
  readonly knowsKey: (key: string) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

type Stored = Omit<Link, "id"> & { readonly key?: string; readonly revoked?: true };

const KIND = "link";
const TOKEN = /^rct_([A-Za-z0-9_-]{1,256})\.([a-z0-9]{1,40})\.([A-Za-z0-9_-]{43})$/;
const CHAT = "chat";
const CHAT_ANSWER = "chatanswer";
const CHAT_MS = 7 * 86_400_000;
const MAX_LINKS = 100;

export const createLinks = ({ records, secret, knowsKey, onError }: LinksOptions): Links => {
  let kept: Promise<string> | undefined;
  const secretOf = (): Promise<string> => {
    if (secret !== undefined) return Promise.resolve(secret);
    kept ??= keptSecret(records).catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    return kept;
  };

  const working = async (stored: Stored | undefined): Promise<Stored | undefined> =>
    stored && !stored.revoked && (stored.key === undefined || (await knowsKey(stored.key))) ? stored : undefined;
  const get = async (run: string, id: string) => (await records.get(KIND, recordId(run, id))) as Stored | undefined;
  const put = (run: string, id: string, stored: Stored, ifAbsent = false) =>
    records.put(KIND, recordId(run, id), defined(stored), {
      ttlMs: Math.max(1, stored.expires - Date.now()),
      ifAbsent,
    });

  const list = async (run: string): Promise<Link[]> => {
    const found = await records.list(KIND, { prefix: recordId(run, ""), limit: 10 * MAX_LINKS });
    const links: Link[] = [];
    for (const { id, value } of found) {
      const stored = await working(value as Stored);
      if (stored) links.push(linkOf(id.slice(id.lastIndexOf(".") + 1), stored));
    }
    return links;
  };

  return {
    list,

    async create(wanted) {
      const { run } = wanted;
      if ((await list(run)).length >= MAX_LINKS)
        throw new Refusal("too-many-links", `run ${run} already has ${MAX_LINKS} links`, {
          status: 409,
          hint: "revoke some of them first",
        });
      // Starts with the time, so lists are in order.
      const id = Date.now().toString(36) + randomBytes(8).toString("hex");
      const stored: Stored = { ...wanted, key: wanted.key, created: Date.now() } as Stored;
      await put(run, id, stored);
      return { link: linkOf(id, stored), token: tokenOf(await secretOf(), run, id) };
    },

    async find(token) {
      const [, run = "", id = "", signature = ""] = TOKEN.exec(token) ?? [];
      if (signature === "") return "wrong";
      const expected = signatureOf(await secretOf(), run, id);
      if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return "wrong";
      const stored = await working(await get(run, id));
      return stored ? linkOf(id, stored) : "gone";
    },

    async revoke(run, id) {
      const stored = await working(await get(run, id));
      if (!stored) return false;
      // A chat's link stays until its expiry, because it would otherwise be created again.
      if (stored.chat) return await put(run, id, { ...stored, revoked: true });
      return await records.delete(KIND, recordId(run, id));
    },

    async forget(run) {
      const left = () => records.list(KIND, { prefix: recordId(run, ""), limit: MAX_LINKS });
      for (let found = await left(); found.length > 0; found = await left())
        for (const { id } of found) await records.delete(KIND, id);
    },

    async chatToken({ run, startedAt }, { until = Infinity, ...maker }) {
      const id = maker.answer ? CHAT_ANSWER : CHAT;
      const signed = tokenOf(await secretOf(), run, id);
      const expires = Math.min(startedAt + CHAT_MS, until);
      let isMade = false;
      return () => {
        if (expires <= Date.now()) return undefined;
        if (!isMade)
          put(run, id, { ...maker, run, created: Date.now(), expires, chat: true } as Stored, true).catch(onError);
        isMade = true;
        return signed;
      };
    },
  };
};

export const looksLikeToken = (text: string): boolean => text.startsWith("rct_");

const tokenOf = (secret: string, run: string, id: string): string => `rct_${run}.${id}.${signatureOf(secret, run, id)}`;

const signatureOf = (secret: string, run: string, id: string): string =>
  createHmac("sha256", secret).update(`runcast-link\n${run}\n${id}`).digest("base64url");

/** Shared by all processes that use the log. */
const keptSecret = async (records: Records): Promise<string> => {
  await records.put("secret", "links", randomBytes(32).toString("base64url"), { ifAbsent: true });
  return String(await records.get("secret", "links"));
};

/** Hashed, because a run's id may be as long as a record's. */
const recordId = (run: string, id: string): string => `${createHash("sha256").update(run).digest("hex")}.${id}`;

const linkOf = (id: string, { key: _, revoked: __, ...stored }: Stored): Link => ({ id, ...stored });

const defined = (stored: Stored): Json => JSON.parse(JSON.stringify(stored)) as Json;
