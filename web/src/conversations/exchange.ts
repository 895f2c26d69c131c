import type { Entry } from "runcast/events";
import { visibleText } from "runcast/view";
import type { ChatMessage, Conversation } from "./conversation.ts";
import { readStoredMessage } from "./stored-message.ts";
import type { Store } from "./store.ts";

const FORMAT = "runcast-conversations";
const VERSION = 2;
/** File versions that can be imported. */
const READABLE: readonly unknown[] = [1, VERSION];

export interface Imported {
  readonly added: number;
  /** Conversations that already existed unchanged. */
  readonly known: number;
}

/** A file that cannot be imported. The message names the place and the reason. Nothing was changed. */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
}

interface File {
  readonly format: typeof FORMAT;
  readonly version: number;
  readonly conversations: readonly Conversation[];
  /** By run. */
  readonly runs: Readonly<Record<string, readonly Entry[]>>;
}

/** All conversations, or one, with the entries of their runs. */
export const exportConversations = async (store: Store, id?: string): Promise<string> => {
  const ids = id === undefined ? (await store.list()).kept.map((fact) => fact.id) : [id];
  const conversations: Conversation[] = [];
  const runs: Record<string, readonly Entry[]> = {};
  for (const wanted of ids) {
    const conversation = await store.load(wanted);
    if (!conversation) continue;
    conversations.push(conversation);
    for (const run of runsOf(conversation)) runs[run] ??= await store.entries(run);
  }
  return JSON.stringify({ format: FORMAT, version: VERSION, conversations, runs } satisfies File);
};

/**
 * Imports the output of `exportConversations`. Existing data is never changed: a conversation or run that differs from
 * the existing one with its id gets a new id.
 */
export const importConversations = async (store: Store, text: string, createId: () => string): Promise<Imported> => {
  const file = checkFile(text);
  const renamed = new Map<string, string>();
  for (const [run, entries] of Object.entries(file.runs)) {
    const kept = await store.entries(run);
    const isSame = kept.every((entry, index) => !entries[index] || same(entry, entries[index]));
    const name = isSame ? run : createId();
    if (!isSame) renamed.set(run, name);
    if (!(await store.keep(name, entries))) throw new ExchangeError(`the entries of run ${run} could not be stored`);
  }
  let added = 0;
  let known = 0;
  for (const conversation of file.conversations) {
    const messages = conversation.messages.map((message) =>
      message.role === "assistant" ? { ...message, run: renamed.get(message.run) ?? message.run } : message,
    );
    const incoming: Conversation = { ...conversation, title: visibleText(conversation.title), messages };
    const { deletedAt: _, ...kept } = (await store.load(conversation.id)) ?? { deletedAt: undefined, id: undefined };
    if (kept.id !== undefined && same(kept, incoming)) {
      known++;
      continue;
    }
    const id = kept.id === undefined ? conversation.id : createId();
    await store.change(id, () => ({ ...incoming, id }));
    added++;
  }
  return { added, known };
};

const runsOf = ({ messages }: Conversation): readonly string[] =>
  messages.flatMap((message) => (message.role === "assistant" ? [message.run] : []));

/** Compares without regard to key order. */
const same = (one: unknown, other: unknown): boolean => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .filter((key) => value[key] !== undefined)
      .map((key) => [key, sorted(value[key])]),
  );
};

const checkFile = (text: string): File => {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw new ExchangeError("this is not JSON");
  }
  if (!isObject(file) || file["format"] !== FORMAT)
    throw new ExchangeError("this is not a conversation file from this page");
  if (!READABLE.includes(file["version"]))
    throw new ExchangeError(
      `this file has version ${String(file["version"])}; this page reads versions ${READABLE.join(" and ")}`,
    );
  const { conversations, runs } = file;
  if (!Array.isArray(conversations)) throw new ExchangeError("conversations must be a list");
  if (!isObject(runs)) throw new ExchangeError("runs must be an object");
  for (const [index, conversation] of conversations.entries())
    checkConversation(conversation, `conversations[${index}]`);
  for (const [run, entries] of Object.entries(runs)) checkEntries(entries, `runs.${run}`);
  return file as unknown as File;
};

const checkConversation = (value: unknown, where: string): void => {
  const conversation = objectAt(value, where);
  for (const field of ["id", "title"]) textAt(conversation[field], `${where}.${field}`);
  for (const field of ["createdAt", "updatedAt"]) numberAt(conversation[field], `${where}.${field}`);
  if (typeof conversation["named"] !== "boolean") throw new ExchangeError(`${where}.named must be true or false`);
  const chosen = objectAt(conversation["chosen"], `${where}.chosen`);
  for (const [key, id] of Object.entries(chosen)) textAt(id, `${where}.chosen.${key}`);
  if (!Array.isArray(conversation["messages"])) throw new ExchangeError(`${where}.messages must be a list`);
  const messages: ChatMessage[] = conversation["messages"].map(readStoredMessage);
  conversation["messages"] = messages;
  for (const [index, message] of messages.entries()) checkMessage(message, `${where}.messages[${index}]`);
  const parents = new Map(messages.map(({ id, parent }) => [id, parent]));
  if (parents.size !== messages.length) throw new ExchangeError(`${where}.messages contains the same id twice`);
  const checked = new Set<string>();
  for (const { id } of messages) {
    const trail = new Set<string>();
    for (let next: string | undefined = id; next !== undefined && !checked.has(next); next = parents.get(next)) {
      if (!parents.has(next)) throw new ExchangeError(`${where}.messages: there is no message ${next}`);
      if (trail.has(next)) throw new ExchangeError(`${where}.messages: ${next} is its own ancestor`);
      trail.add(next);
    }
    for (const passed of trail) checked.add(passed);
  }
};

const checkMessage = (value: unknown, where: string): void => {
  const message = objectAt(value, where);
  textAt(message["id"], `${where}.id`);
  numberAt(message["at"], `${where}.at`);
  if (message["parent"] !== undefined) textAt(message["parent"], `${where}.parent`);
  if (message["keeps"] !== undefined) numberAt(message["keeps"], `${where}.keeps`);
  if (message["role"] === "user") return checkParts(message["content"], `${where}.content`);
  if (message["role"] !== "assistant") throw new ExchangeError(`${where}.role must be user or assistant`);
  textAt(message["run"], `${where}.run`);
  objectAt(message["settings"], `${where}.settings`);
  if (message["outcome"] !== undefined) textAt(message["outcome"], `${where}.outcome`);
  for (const [name, amount] of Object.entries(objectAt(message["usage"] ?? {}, `${where}.usage`)))
    numberAt(amount, `${where}.usage.${name}`);
  if (message["output"] === undefined) return;
  if (!Array.isArray(message["output"])) throw new ExchangeError(`${where}.output must be a list`);
  for (const [index, added] of message["output"].entries())
    checkParts(objectAt(added, `${where}.output[${index}]`)["content"], `${where}.output[${index}].content`);
};

const checkParts = (value: unknown, where: string): void => {
  if (!Array.isArray(value)) throw new ExchangeError(`${where} must be a list`);
  for (const [index, part] of value.entries())
    textAt(objectAt(part, `${where}[${index}]`)["type"], `${where}[${index}].type`);
};

const checkEntries = (value: unknown, where: string): void => {
  if (!Array.isArray(value)) throw new ExchangeError(`${where} must be a list`);
  for (const [index, entry] of value.entries()) {
    const { seq, at, event } = objectAt(entry, `${where}[${index}]`);
    if (seq !== index + 1) throw new ExchangeError(`${where}[${index}].seq must be ${index + 1}`);
    numberAt(at, `${where}[${index}].at`);
    textAt(objectAt(event, `${where}[${index}].event`)["type"], `${where}[${index}].event.type`);
  }
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const objectAt = (value: unknown, where: string): Record<string, unknown> => {
  if (isObject(value)) return value;
  throw new ExchangeError(`${where} must be an object`);
};
const textAt = (value: unknown, where: string): void => {
  if (typeof value !== "string") throw new ExchangeError(`${where} must be a string`);
};
const numberAt = (value: unknown, where: string): void => {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new ExchangeError(`${where} must be a number`);
};
