import type { Frame } from "../../dialect.ts";

/** One event of AG-UI. Clients look at the data alone, so frames have no name and no id. */
export const frame = (type: string, fields: object): Frame => ({ data: JSON.stringify({ type, ...fields }) });

/** A frame of many alike, of which only the last field differs. */
export const deltaFrame = (opening: string, delta: string): Frame => ({ data: `${opening}${JSON.stringify(delta)}}` });

/** `deltaFrame` with this opening is the frame of this type and these fields, with a `delta`. */
export const deltaOpening = (type: string, fields: object): string =>
  `${JSON.stringify({ type, ...fields }).slice(0, -1)},"delta":`;

/** How an event says whose it is. */
export const tagOf = (agent: string | undefined): { readonly subagentRunId?: string } =>
  agent === undefined ? {} : { subagentRunId: agent };

/**
 * The ids of a run's messages. Clients find all messages of a conversation by their ids, and parts have the same ids in every run.
 * `kind` keeps the ids of different things apart.
 */
export type MessageId = (kind: "part" | "calls" | "result" | "activity", id: string) => string;

export const messageIdsOf =
  (run: string): MessageId =>
  (kind, id) =>
    `${run}:${kind[0]}:${id}`;

/** Whether an id is one that `messageIdsOf` makes for such a message. */
export const isIdOf = (kind: Parameters<MessageId>[0], messageId: string): boolean =>
  messageId.includes(`:${kind[0]}:`);
