import type { Part } from "../../events.ts";
import { Refusal, type RunContext, type RunRequest } from "../../source.ts";
import { transcript } from "../upstream/transcript.ts";
import type { AgnoServer } from "./server.ts";

/** The form that starts a run: the new message with its files and, if the session does not know them, the earlier messages as text. */
export const promptOf = async (
  { messages }: RunRequest,
  server: AgnoServer,
  { get }: Pick<RunContext, "get">,
): Promise<FormData> => {
  const last = messages.findLastIndex(({ role }) => role !== "user");
  const parts = messages.slice(last + 1).flatMap(({ content }) => content);
  const form = new FormData();
  const texts = parts.flatMap((part) =>
    part.type === "text" ? [part.text] : part.type === "file" && part.url !== undefined ? [part.url] : [],
  );
  for (const part of parts) {
    const file = await fileOf(part, get);
    if (file) form.append("files", file.blob, file.name);
  }
  if (texts.join("").trim() === "" && !form.has("files"))
    throw new Refusal("empty-message", "The message contains nothing that the agent can read.");
  const earlier = messages.slice(0, last + 1);
  const history = earlier.length > 0 && !(await server.knowsSession()) ? transcript(earlier) : "";
  if (history !== "") texts.unshift(`The conversation so far:\n\n${history}\n\nThe new message:`);
  form.set("message", texts.join("\n\n"));
  return form;
};

const fileOf = async (part: Part, get: RunContext["get"]): Promise<{ blob: Blob; name: string } | undefined> => {
  if (part.type !== "file" || part.url !== undefined) return undefined;
  const kept = part.file === undefined ? undefined : await get(part.file);
  const bytes = part.data === undefined ? kept : Buffer.from(part.data, "base64");
  return (
    bytes && { blob: new Blob([new Uint8Array(bytes)], { type: part.mediaType }), name: part.name ?? "attachment" }
  );
};
