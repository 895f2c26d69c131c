import type { EncodeOptions } from "../../dialect.ts";
import type { CallOutcome, Content, EventOf } from "../../events.ts";
import type { Result } from "./show.ts";
import { nameText, oneLine } from "./text.ts";
import { resultText } from "../frames/result-text.ts";

/** The displayed result of a call. `page` returns the URL where a result that is not in a file can be read in full. */
export const resultOf = (event: EventOf<"tool-end">, link: EncodeOptions["link"], page: () => string): Result => {
  const { outcome, error, content = [] } = event;
  const files = content.filter((part) => part.type === "file");
  const [only] = content.length === 1 ? files : [];
  const shown = {
    outcome,
    link: files[0] ? link(files[0]) : page(),
    files: files.map((file) => ({
      type: "file" as const,
      url: link(file),
      name: nameOf(file),
      ...(!isImage(file) && { content_type: oneLine(file.mediaType) }),
      size: file.bytes,
    })),
    images: files.filter(isImage).map((file) => ({ url: link(file), name: nameOf(file) })),
  };
  if (outcome === "ok" && only?.head !== undefined) {
    const { head, tail = "", bytes } = only;
    return { ...shown, text: head + tail, gap: { at: head.length, length: bytes } };
  }
  const shownText = resultText(event, link);
  return { ...shown, text: outcome === "ok" ? shownText : failure(outcome, error?.message, shownText) };
};

type File = Extract<Content, { type: "file" }>;

const isImage = ({ mediaType }: File): boolean => mediaType.startsWith("image/");

const nameOf = (file: File): string => nameText(file.name ?? (isImage(file) ? "image" : "file"));

const OUTCOMES: Readonly<Record<Exclude<CallOutcome, "ok">, string>> = {
  error: "It failed.",
  denied: "It was not allowed.",
  cancelled: "It was cancelled.",
  timeout: "It timed out.",
  interrupted: "It was interrupted.",
  deferred: "It is left to the client.",
};

/** Open WebUI treats a result with this prefix as a failure. */
const failure = (outcome: Exclude<CallOutcome, "ok">, message: string | undefined, shownText: string): string => {
  if (outcome === "deferred") return OUTCOMES.deferred;
  const reason = message ?? OUTCOMES[outcome];
  const rest = shownText === "" || shownText === message ? "" : `\n\n${shownText}`;
  return reason.startsWith("Error:") ? `${reason}${rest}` : `Error: ${reason}${rest}`;
};
