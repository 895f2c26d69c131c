import { imagesIn, looksLikeError, readJson, type ShownCard } from "./display.ts";
import type { Generation } from "./generations.ts";
import { decodeEntities, type DetailsBlock } from "./markdown-blocks.ts";

/** The card that Open WebUI renders for a `<details type="tool_calls">` block. */
export const detailsCard = ({ attributes, body }: DetailsBlock, { tellsFailed }: Generation): ShownCard => {
  const { id = "", name = "", done, status } = attributes;
  const text = decodeEntities(body)
    .replace(/<summary>.*?<\/summary>/gi, "")
    .trim();
  const result = text || decodeEntities(attributes["result"] ?? "");
  const isDone = done === "true" || (tellsFailed && (status === "failed" || status === "incomplete"));
  const doing = tellsFailed && status !== "completed" ? "Preparing" : "Executing";
  const isFailed = tellsFailed && (status === "failed" || (isDone && looksLikeError(result)));
  return {
    kind: "card",
    call: id,
    // Not decoded: an entity in a name is shown literally.
    name,
    state: isFailed ? "failed" : isDone ? "done" : "spinner",
    label: isDone ? `View Result from ${name}` : `${doing} ${name}...`,
    arguments: readJson(decodeEntities(attributes["arguments"] ?? "")),
    result: isDone && result !== "" ? readJson(result) : undefined,
    embeds: (readJson(decodeEntities(attributes["embeds"] ?? "[]")) as readonly string[] | "") || [],
    images: isDone ? imagesIn(readJson(decodeEntities(attributes["files"] ?? "[]"))) : [],
  };
};
