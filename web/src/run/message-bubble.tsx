import type { Part } from "runcast/events";
import { visibleText } from "runcast/view";
import { AttachmentView, type ReadPart } from "./attachment-view.tsx";

interface MessageBubbleProps {
  readonly content: readonly Part[];
  /** Reads the files of the message, if they are available. */
  readonly read?: ReadPart | undefined;
}

/** The user's message, below its attached files. */
export const MessageBubble = ({ content, read }: MessageBubbleProps) => {
  const files = content.filter((part) => part.type === "file");
  const text = visibleText(textOf(content));
  return (
    <div className="flex max-w-[85%] flex-col items-end gap-1.5">
      {files.length > 0 && (
        <div role="group" aria-label="Files in this message" className="flex max-w-full flex-wrap justify-end gap-1.5">
          {files.map((part, index) => (
            <AttachmentView key={index} part={part} read={read} />
          ))}
        </div>
      )}
      {text !== "" && (
        <div className="max-w-full rounded-2xl rounded-br-md bg-message px-4 py-2.5 [overflow-wrap:anywhere] whitespace-pre-wrap">
          <span className="sr-only">You said: </span>
          {text}
        </div>
      )}
    </div>
  );
};

/** The text of a message. */
export const textOf = (content: readonly Part[]): string =>
  content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
