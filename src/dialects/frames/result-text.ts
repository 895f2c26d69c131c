import type { Content, EventOf } from "../../events.ts";
import type { EncodeOptions } from "../../dialect.ts";

/**
 * The result of a call as one text: text unchanged, values as JSON. For bytes stored alongside the log, it contains the
 * head from the entry and a link to the rest. Empty for a call without a result.
 */
export const resultText = (
  { content = [], value }: Pick<EventOf<"tool-end">, "content" | "value">,
  link: EncodeOptions["link"],
): string => {
  if (content.length > 0) return content.map((part) => contentText(part, link)).join("\n");
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
};

const contentText = (content: Content, link: EncodeOptions["link"]): string => {
  switch (content.type) {
    case "text":
      return content.text;
    case "json":
      return typeof content.value === "string" ? content.value : JSON.stringify(content.value);
    case "link":
      return content.title === undefined ? content.url : `${content.title}: ${content.url}`;
    case "file": {
      const fileText = `${content.name ?? content.mediaType}, ${content.bytes} bytes: ${link(content)}`;
      return content.head === undefined ? fileText : `${content.head}…\n\n${fileText}`;
    }
  }
};
