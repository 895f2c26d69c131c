import type { Frame, Waiting } from "./dialect.ts";
import { parseJson } from "./json.ts";

/**
 * The native dialect on the wire: how its clients ask, and what its frames look like. It loads no schemas, so that a browser can
 * use it; what only a server needs is in the dialect itself.
 */
export { queryText, runId, writeCommand, writeExtensions } from "./wire/command.ts";
export { createEncoder, createTextEncoder } from "./wire/encoder.ts";
export { createEntryReader, type EntryReader } from "./wire/entry-reader.ts";
export { readSecrets, writeSecrets } from "./wire/secrets.ts";

const HEARTBEAT = "heartbeat";
const SNAPSHOT = "snapshot";

export const heartbeatFrame = ({ waiting, since }: Waiting): Frame => ({
  event: HEARTBEAT,
  data: JSON.stringify({ waiting, since }),
});

export const snapshotFrame = (seq: number, state: unknown): Frame => ({
  id: `${seq}`,
  event: SNAPSHOT,
  data: JSON.stringify({ seq, state }),
});

export const isHeartbeat = ({ event }: Frame): boolean => event === HEARTBEAT;

/** What the frame says if it is a heartbeat. Throws a BadFrame for one that says nothing. */
export const readHeartbeat = (frame: Frame): Waiting | undefined =>
  isHeartbeat(frame) ? (objectIn(frame.data) as Waiting) : undefined;

/** The state in the frame if it is a snapshot. Throws a BadFrame for one that holds none. */
export const readSnapshot = ({ event, data }: Frame): { readonly state: unknown } | undefined =>
  event === SNAPSHOT ? (objectIn(data) as { readonly state: unknown }) : undefined;

/** A frame that cannot be what it says. */
export class BadFrame extends Error {
  static withData(data: string): BadFrame {
    return new BadFrame(`a frame has data that is no JSON object: ${data.slice(0, 40)}`);
  }
}

const objectIn = (data: string): object => {
  const value = parseJson(data);
  if (typeof value === "object" && value !== null) return value;
  throw BadFrame.withData(data);
};
