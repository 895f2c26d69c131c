import type { Frame, Waiting } from "./dialect.ts";
import { parseJson } from "./json.ts";

/**
 * The wire format of the native dialect: client requests and frames. Loads no schemas, so browsers can use it.
 * Server-only code is in the dialect itself.
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

/** Reads a heartbeat. Returns undefined for other frames and throws BadFrame for invalid data. */
export const readHeartbeat = (frame: Frame): Waiting | undefined =>
  isHeartbeat(frame) ? (objectIn(frame.data) as Waiting) : undefined;

/** Reads a snapshot. Returns undefined for other frames and throws BadFrame for invalid data. */
export const readSnapshot = ({ event, data }: Frame): { readonly state: unknown } | undefined =>
  event === SNAPSHOT ? (objectIn(data) as { readonly state: unknown }) : undefined;

/** A frame with invalid data. */
export class BadFrame extends Error {
  static withData(data: string): BadFrame {
    return new BadFrame(`a frame's data is not a JSON object: ${data.slice(0, 40)}`);
  }
}

const objectIn = (data: string): object => {
  const value = parseJson(data);
  if (typeof value === "object" && value !== null) return value;
  throw BadFrame.withData(data);
};
