import { parseJson } from "../../json.ts";

/** The error message in a response body of any form. Undefined if it contains none. */
export const reasonIn = (body: string, status: number | undefined): string | undefined => {
  const text = body.trim();
  if (text === "") return undefined;
  if (text.startsWith("<")) return pageReason(text, status);
  const value = parseJson(text);
  return value === undefined ? text : (reasonOf(value, 0) ?? undefined);
};

/** The fields where servers put the message, most specific first. */
const FIELDS = ["message", "detail", "msg", "error_description", "error", "errors", "title", "reason"];

const reasonOf = (value: unknown, depth: number): string | undefined => {
  if (typeof value === "string") return value.trim() || undefined;
  if (typeof value !== "object" || value === null || depth > 4) return undefined;
  if (Array.isArray(value)) {
    const all = value.slice(0, 3).flatMap((one) => reasonOf(one, depth + 1) ?? []);
    return all.length > 0 ? all.join("; ") : undefined;
  }
  const fields = value as Record<string, unknown>;
  const inner = innerReason(fields, depth);
  if (inner !== undefined) return inner;
  for (const name of FIELDS) {
    const found = reasonOf(fields[name], depth + 1);
    if (found !== undefined) return `${placeOf(fields["loc"])}${found}`;
  }
  return undefined;
};

/** Routers such as OpenRouter wrap the reason from the provider behind them: their own message says only that it failed. */
const innerReason = ({ message, metadata }: Record<string, unknown>, depth: number): string | undefined => {
  if (typeof message !== "string" || typeof metadata !== "object" || metadata === null) return undefined;
  const { raw, provider_name: name } = metadata as Record<string, unknown>;
  const value = typeof raw === "string" ? parseJson(raw, raw) : raw;
  const reason = reasonOf(value, depth + 1);
  return reason === undefined ? undefined : `${typeof name === "string" ? name : message}: ${reason}`;
};

/** The field that a validation error refers to. */
const placeOf = (place: unknown): string =>
  Array.isArray(place) && place.length > 0 ? `${place.filter((part) => part !== "body").join(".")}: ` : "";

const pageReason = (page: string, status: number | undefined): string => {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(page.slice(0, 20_000))?.[1]?.trim();
  const and = status === undefined ? "" : ` and the status ${status}`;
  return `The provider returned a web page${and}${title ? `: ${title}` : ""}.`;
};
