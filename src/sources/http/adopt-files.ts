import type { Content, Event } from "../../events.ts";
import type { EventsAbout } from "../../protocol.ts";
import type { RunContext } from "../../source.ts";
import type { RemoteConnection } from "./connection.ts";

/**
 * Copies files that a Runcast server stores alongside its log to this run, because their ids mean nothing to viewers of
 * this run. Synchronous for events without a file: most events are tokens.
 */
export const adoptFiles = (event: Event, connection: RemoteConnection, { put }: RunContext): Event | Promise<Event> => {
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

  const adoptAll = async (content: readonly Content[]): Promise<Content[]> => {
    const adopted: Content[] = [];
    for (const part of content) adopted.push(part.type === "file" ? await adopt(part) : part);
    return adopted;
  };

  switch (event.type) {
    case "tool-end": {
      const { content } = event;
      if (!content?.some(({ type }) => type === "file")) return event;
      return adoptAll(content).then((adopted) => ({ ...event, content: adopted }));
    }
    case "file":
      return adopt(event);
    case "embed":
      if (event.file === undefined) return event;
      return adopt({ file: event.file, mediaType: "text/html" }).then(({ file }) => ({ ...event, file }));
    default:
      event satisfies EventsAbout;
      return event;
  }
};
