import type { Content, Event } from "../../events.ts";
import type { RunContext } from "../../source.ts";
import type { Connection } from "./connection.ts";

export const mayHoldFile = ({ type }: Event): boolean => type === "tool-end" || type === "file" || type === "embed";

/** Keeps here what lies beside the log of a Runcast there: its ids mean nothing to those who watch this run. */
export const adoptFiles = async (event: Event, connection: Connection, { put }: RunContext): Promise<Event> => {
  const adopt = async <
    Ref extends { file?: string | undefined; mediaType?: string | undefined; name?: string | undefined },
  >(
    ref: Ref,
    mediaType = "application/octet-stream",
  ): Promise<Ref> => {
    const bytes = ref.file === undefined ? undefined : await connection.file(ref.file);
    if (!bytes) return ref;
    const { name } = ref;
    const kept = await put(bytes, { mediaType: ref.mediaType ?? mediaType, ...(name !== undefined && { name }) });
    return { ...ref, file: kept.file };
  };

  switch (event.type) {
    case "tool-end": {
      if (!event.content?.some(({ type }) => type === "file")) return event;
      const content: Content[] = [];
      for (const part of event.content) content.push(part.type === "file" ? await adopt(part) : part);
      return { ...event, content };
    }
    case "file":
      return await adopt(event);
    case "embed": {
      if (event.file === undefined) return event;
      const { file } = await adopt({ file: event.file, mediaType: "text/html" });
      return { ...event, file };
    }
    default:
      return event;
  }
};
