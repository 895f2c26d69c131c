import { type Fields, fieldsOf, parseFields } from "../../json.ts";
import type { CallOutcome, Content, EventOf } from "../../events.ts";
import { CALL_OUTCOMES } from "../../protocol.ts";

type End = Pick<EventOf<"tool-end">, "outcome" | "content" | "error">;

/** The content of a call's result: text, or parts with text and media. Inline media are reduced to their type and size. */
export const contentOf = (content: unknown): Content[] => {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.flatMap((part: unknown) => partOf(fieldsOf(part))) : [];
};

const partOf = ({ type, text, source }: Fields): Content[] => {
  if (typeof text === "string") return [{ type: "text", text }];
  const { type: kind, value, mimeType } = fieldsOf(source);
  if (typeof type !== "string" || typeof value !== "string") return [];
  const mediaType = typeof mimeType === "string" ? mimeType : type;
  if (kind === "url") return [{ type: "link", url: value, mediaType }];
  return [{ type: "text", text: `[${mediaType}, ${value.length} characters in base64]` }];
};

/** The end of a call with this result and outcome. An error's text becomes its message. */
export const endOf = (content: Content[], outcome: CallOutcome): End => {
  const [only] = content;
  if (outcome === "error" && content.length === 1 && only?.type === "text")
    return { outcome, error: { code: "tool-error", message: only.text } };
  return { outcome, ...(content.length > 0 && { content }) };
};

/** The outcome in a result from another Runcast server, if present. */
export const ownOutcome = (metadata: unknown): CallOutcome | undefined => {
  const { outcome } = fieldsOf(fieldsOf(metadata)["runcast"]);
  return typeof outcome === "string" && OUTCOMES.has(outcome) ? (outcome as CallOutcome) : undefined;
};

/** Calls that the client runs have no result. */
const OUTCOMES: ReadonlySet<string> = new Set(CALL_OUTCOMES.filter((outcome) => outcome !== "deferred"));

/** PydanticAI sends the outcome of a call only in a value that follows its result. */
export const pydanticOutcome = (encrypted: string): CallOutcome | undefined => {
  const { outcome } = fieldsOf(parseFields(encrypted)?.["pydantic_ai"]);
  if (outcome === "denied") return "denied";
  return outcome === "failed" || outcome === "retried" ? "error" : undefined;
};
