import type { Frame } from "../../dialect.ts";

/** An AG-UI event. Clients read only the data, so frames have no name and no id. */
export const frame = (type: string, fields: object): Frame => ({ data: JSON.stringify({ type, ...fields }) });

/** A frame whose last field is the only one that changes. */
export const deltaFrame = (opening: string, delta: string): Frame => ({ data: `${opening}${JSON.stringify(delta)}}` });

/** The opening for `deltaFrame`: the frame of this type and these fields up to the value of its `delta`. */
export const deltaOpening = (type: string, fields: object): string =>
  `${JSON.stringify({ type, ...fields }).slice(0, -1)},"delta":`;

/** Marks an event as a sub-agent's. */
export const tagOf = (agent: string | undefined): { readonly subagentRunId?: string } =>
  agent === undefined ? {} : { subagentRunId: agent };

/**
 * Creates the ids of a run's messages. Clients look up messages by id across a whole conversation, and part ids repeat
 * in every run, so ids include the run. `kind` separates ids of different kinds.
 */
export type MessageId = (kind: "part" | "calls" | "result" | "activity", id: string) => string;

export const messageIdsOf =
  (run: string): MessageId =>
  (kind, id) =>
    `${run}:${kind[0]}:${id}`;

/** Whether `messageIdsOf` created this id for a message of this kind. */
export const isIdOf = (kind: Parameters<MessageId>[0], messageId: string): boolean =>
  messageId.includes(`:${kind[0]}:`);
