import type { Content, Json } from "../../events.ts";

/** The result of a tool that the provider ran, in readable form. */
export interface ProviderResult {
  readonly content: readonly Content[];
  /** Base64 images in the result. */
  readonly images: readonly string[];
  /** Why it failed, if it did. */
  readonly failure?: string;
}

export const providerResult = (value: Json, isError: boolean): ProviderResult => {
  if (typeof value === "string") return failed([{ type: "text", text: value }], isError && value);
  const fields = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  const { status, error, output, outputs, result, stdout, stderr } = fields;
  const whole: Content[] = [{ type: "json", value }];
  // Libraries report a search as failed if its status is not completed.
  if (isError) return failed(whole, !isUnfinished(status) && textOf(error));
  if (error) return failed(whole, textOf(error));
  if (Array.isArray(outputs)) return { content: or(outputs.flatMap(outputOf), whole), images: [] };
  if (typeof result === "string" && isPicture(result)) return { content: [], images: [result] };
  if (typeof output === "string" && output !== "") return { content: [{ type: "text", text: output }], images: [] };
  const printed = [stdout, stderr].flatMap((text) => (typeof text === "string" && text !== "" ? [text] : []));
  return { content: printed.length > 0 ? [{ type: "text", text: printed.join("\n") }] : whole, images: [] };
};

const UNFINISHED: ReadonlySet<unknown> = new Set(["in_progress", "searching", "queued"]);
const isUnfinished = (status: Json | undefined): boolean => UNFINISHED.has(status);

const failed = (content: Content[], failure: string | false): ProviderResult => ({
  content,
  images: [],
  ...(failure !== false && { failure }),
});

const textOf = (error: Json | undefined): string => {
  if (typeof error === "string") return error;
  if (typeof error !== "object" || error === null || Array.isArray(error)) return "";
  return [error["message"], error["content"], error["type"]].find((text) => typeof text === "string") ?? "";
};

/** What a code interpreter printed or drew. */
const outputOf = (output: Json): Content[] => {
  if (typeof output !== "object" || output === null || Array.isArray(output)) return [];
  const { logs, url } = output;
  if (typeof logs === "string") return [{ type: "text", text: logs }];
  return typeof url === "string" ? [{ type: "link", url }] : [];
};

const or = (content: Content[], otherwise: Content[]): Content[] => (content.length > 0 ? content : otherwise);

const isPicture = (text: string): boolean => text.length >= 64 && /^[A-Za-z0-9+/]+={0,2}$/.test(text.slice(-64));
