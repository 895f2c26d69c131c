import type { EventOf } from "../events.ts";
import type { MarkNode } from "../state.ts";
import { byteText } from "./amounts.ts";
import { describeLink, type LinkFacts } from "./link.ts";
import { oneLine } from "./text.ts";

/** Display data for a single-event node: a citation, file, embed, or notice. */
export type AsideFacts =
  | { readonly kind: "citation"; readonly title: string; readonly link: LinkFacts | undefined; readonly about: string }
  | ({ readonly kind: "file"; readonly link: LinkFacts | undefined } & FileFacts)
  | { readonly kind: "embed"; readonly title: string }
  | { readonly kind: "notice"; readonly level: EventOf<"notice">["level"]; readonly text: string };

export const describeAside = ({ event }: MarkNode): AsideFacts => {
  switch (event.type) {
    case "citation":
      return {
        kind: "citation",
        title: oneLine(event.title?.trim() || event.url || "Untitled source"),
        link: event.url === undefined ? undefined : describeLink(event.url, event.title),
        about: [event.author, event.published, event.accessed && `accessed ${event.accessed}`]
          .flatMap((text) => (text ? [oneLine(text)] : []))
          .join(" · "),
      };
    case "file":
      return {
        kind: "file",
        link: event.url === undefined ? undefined : describeLink(event.url, event.name),
        ...describeFile(event),
      };
    case "embed":
      return { kind: "embed", title: oneLine(event.title ?? event.url ?? "Embedded content") };
    case "notice":
      return { kind: "notice", level: event.level, text: oneLine(event.text, 4000) };
  }
};

/** Display data for a file. */
export interface FileFacts {
  readonly name: string;
  /** Media type, size, and how the file changed. */
  readonly about: string;
  readonly isDeleted: boolean;
}

interface File {
  readonly name?: string | undefined;
  readonly mediaType?: string | undefined;
  readonly bytes?: number | undefined;
  readonly change?: EventOf<"file">["change"];
}

export const describeFile = ({ name, mediaType, bytes, change }: File): FileFacts => ({
  name: oneLine(name ?? "Result"),
  about: [mediaType && oneLine(mediaType), bytes ? byteText(bytes) : "", change].filter(Boolean).join(" · "),
  isDeleted: change === "deleted",
});
