import type { Part } from "runcast/events";
import { visibleText } from "runcast/view";

/** A person's message, as they wrote it. */
export const MessageBubble = ({ content }: { readonly content: readonly Part[] }) => (
  <div className="max-w-[85%] rounded-2xl rounded-br-md bg-message px-4 py-2.5 [overflow-wrap:anywhere] whitespace-pre-wrap">
    <span className="sr-only">You said: </span>
    {visibleText(textOf(content))}
    {content.map((part, index) =>
      part.type === "file" ? (
        <span key={index} className="block text-sm text-soft">
          {visibleText(part.name ?? part.mediaType)}
        </span>
      ) : null,
    )}
  </div>
);

/** The text of a message. */
export const textOf = (content: readonly Part[]): string =>
  content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
