import type { EncodeOptions } from "../../dialect.ts";
import type { CallOutcome, Content, EventOf, Json } from "../../events.ts";

/** The result of a call in Forge's format: structured if available, otherwise text. */
export const resultOf = (
  { outcome, content = [], value, error }: EventOf<"tool-end">,
  link: EncodeOptions["link"],
): Json => {
  if (value !== undefined && outcome === "ok") return value;
  if (content.length === 0) return outcome === "ok" ? "" : (error?.message ?? DEFAULT_ERRORS[outcome]);
  const items = content.map((item) => itemOf(item, link));
  if (items.length === 1) return items[0]!;
  return content.every(({ type }) => type === "text") ? items.join("\n") : items;
};

/** The inverse: the end of a call with this result. */
export const endOf = (result: unknown, isError: boolean): Pick<EventOf<"tool-end">, "content" | "error"> => {
  const content = contentOf(result);
  if (!isError) return content ? { content: [content] } : {};
  const message =
    content?.type === "text" ? content.text : content ? "The tool failed." : "The tool failed without a message.";
  return { ...(content?.type === "json" && { content: [content] }), error: { code: "tool-error", message } };
};

const contentOf = (result: unknown): Extract<Content, { type: "text" | "json" }> | undefined => {
  if (result === undefined || result === null || result === "") return undefined;
  return typeof result === "string" ? { type: "text", text: result } : { type: "json", value: result as Json };
};

const itemOf = (item: Content, link: EncodeOptions["link"]): Json => {
  switch (item.type) {
    case "text":
      return item.text;
    case "json":
      return item.value;
    case "link": {
      const { url, title } = item;
      return { url, ...(title !== undefined && { title }) };
    }
    case "file": {
      const { name, mediaType, bytes, head, tail } = item;
      return {
        ...(name !== undefined && { name }),
        media_type: mediaType,
        bytes,
        url: link(item),
        ...(head !== undefined && { head }),
        ...(tail !== undefined && { tail }),
      };
    }
  }
};

const DEFAULT_ERRORS: Readonly<Record<Exclude<CallOutcome, "ok">, string>> = {
  error: "The tool failed.",
  denied: "The call was not allowed.",
  cancelled: "The call was cancelled.",
  timeout: "The call timed out.",
  interrupted: "The call was interrupted.",
  deferred: "The call was left to the client to run.",
};
