import type { ContentBlock, PromptCapabilities } from "@agentclientprotocol/sdk";
import type { Message, Part } from "../../events.ts";
import type { RunContext } from "../../source.ts";
import { transcript } from "../upstream/transcript.ts";

const MAX_EMBEDDED = 4 * 1024 * 1024;

/** The prompt: the new messages and, if the agent's session does not know them, the earlier ones as text. */
export const promptOf = async (
  messages: readonly Message[],
  { knowsHistory, accepts }: { readonly knowsHistory: boolean; readonly accepts: PromptCapabilities },
  { get }: Pick<RunContext, "get">,
): Promise<ContentBlock[]> => {
  const last = messages.findLastIndex(({ role }) => role !== "user");
  const blocks: ContentBlock[] = [];
  const history = knowsHistory ? "" : transcript(messages.slice(0, last + 1));
  if (history !== "") blocks.push({ type: "text", text: `The conversation so far:\n\n${history}\n\nThe new message:` });
  for (const { content } of messages.slice(last + 1))
    for (const part of content) {
      const block = await blockOf(part, accepts, get);
      if (block) blocks.push(block);
    }
  return blocks;
};

const blockOf = async (
  part: Part,
  accepts: PromptCapabilities,
  get: RunContext["get"],
): Promise<ContentBlock | undefined> => {
  if (part.type === "text") return part.text === "" ? undefined : { type: "text", text: part.text };
  if (part.type !== "file") return undefined;
  const { mediaType, name = "attachment", url, file } = part;
  if (url !== undefined) return { type: "resource_link", uri: url, name, mimeType: mediaType };
  const kept = file === undefined ? undefined : await get(file);
  const bytes = part.data === undefined ? kept : Buffer.from(part.data, "base64");
  if (!bytes || bytes.length > MAX_EMBEDDED) return left(name);
  if (mediaType.startsWith("image/") && accepts.image)
    return { type: "image", mimeType: mediaType, data: Buffer.from(bytes).toString("base64") };
  const isText = mediaType.startsWith("text/") || mediaType === "application/json";
  if (!isText) return left(name);
  const text = Buffer.from(bytes).toString("utf8");
  if (!accepts.embeddedContext) return { type: "text", text: `${name}:\n\n${text}` };
  return { type: "resource", resource: { uri: `attachment:${encodeURIComponent(name)}`, mimeType: mediaType, text } };
};

const left = (name: string): ContentBlock => ({ type: "text", text: `[The file ${name} cannot be passed on.]` });
