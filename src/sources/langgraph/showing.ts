import type { Event } from "../../events.ts";
import type { RunContext } from "../../source.ts";
import type { Continuation } from "./continuation.ts";
import { type Decoder, withMark } from "./decoder.ts";
import type { Earlier } from "./past.ts";
import type { ProtocolEvent } from "./protocol.ts";

/** A run that is being read, over a connection or in this process. */
export interface Showing {
  readonly decoder: Decoder;
  readonly context: RunContext;
  /** Set for a run that another process began. */
  readonly earlier?: { readonly log: Earlier; readonly continuation: Continuation } | undefined;
}

/** The events and files that a protocol event produces. */
export async function* shown({ decoder, context, earlier }: Showing, event: ProtocolEvent): AsyncGenerator<Event> {
  const events = decoder.event(event);
  yield* earlier ? earlier.continuation.pass(events) : events;
  for (const { file, mark } of decoder.takeFiles()) {
    const { name, bytes, mediaType, change } = file;
    const made = withMark({ type: "file", name, mediaType, change }, mark);
    if (earlier?.continuation.has(made)) continue;
    const kept = bytes && (await context.put(bytes, { mediaType, name: name.split("/").at(-1)! }));
    yield kept ? { ...made, type: "file", name, file: kept.file, bytes: kept.bytes } : made;
  }
}
