import { APICallError } from "@ai-sdk/provider";
import { type Fields, fieldsOf, parseJson } from "../../json.ts";
import { Refusal } from "../../source.ts";
import type { Format } from "./format.ts";

/** A failure that a provider reports in a response with status 200. The status is its own, if it has one. */
export const reported = (text: string, status = statusIn(fieldsOf(parseJson(text))), headers?: Headers): Error =>
  new APICallError({
    message: "The provider reported an error without giving a reason.",
    url: "",
    requestBodyValues: {},
    responseBody: text,
    ...(status !== undefined && { statusCode: status }),
    ...(headers && { responseHeaders: Object.fromEntries(headers) }),
    data: parseJson(text),
  });

/** Why a response with status 200 that is not a stream failed. */
export const failureIn = (text: string, format: Format, headers: Headers): Error => {
  if (text.startsWith("<")) return webPage(text);
  const refusal = format.refusalOf?.(200, text);
  if (refusal) return refusal;
  const value = parseJson(text);
  if (value === undefined) return /^[{[]/.test(text) ? unreadable() : reported(text, undefined, headers);
  const fields = fieldsOf(Array.isArray(value) ? value[0] : value);
  if (hasReason(fields)) return reported(text, statusIn(fields), headers);
  return Object.keys(fields).length > 0 ? notStreamed() : unreadable();
};

/** Whether a value that is not in a provider's format has a field in which servers put the reason of a failure. */
export const hasReason = ({ error, detail, message }: Fields): boolean => [error, detail, message].some(Boolean);

/** Some servers report the status of a failure only in the body. */
const statusIn = (whole: Fields): number | undefined => {
  const error = fieldsOf(whole["error"]);
  const status = [error["code"], error["status"], whole["status"], whole["code"]].map(Number);
  return status.find((one) => one >= 400 && one < 600);
};

const webPage = (page: string): Refusal => {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(page.slice(0, 20_000))?.[1]?.trim();
  return new Refusal("model-invalid", `The model's URL returned a web page${title ? `: ${title}` : ""}.`, {
    status: 502,
    hint: "Check the base URL: it must be the API's, and often ends in /v1.",
  });
};

const notStreamed = (): Refusal =>
  new Refusal("model-invalid", "The server sent its answer in one piece instead of a stream.", {
    status: 502,
    hint: "Turn on streaming on the server, or on the proxy in front of it.",
  });

const unreadable = (): Refusal =>
  new Refusal("model-invalid", "The model's answer could not be read.", {
    status: 502,
    hint: "Check that the base URL serves this provider's format.",
  });

export const brokenOff = (): Refusal =>
  new Refusal("model-unreachable", "The connection to the provider broke in the middle of the answer.", {
    status: 502,
    retryable: true,
    hint: "Try again. If it keeps happening, look for a proxy that closes long connections.",
  });
