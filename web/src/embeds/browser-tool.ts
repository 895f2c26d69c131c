import { messageOf } from "runcast/view";
import type { Json } from "runcast/events";
import { withBase } from "./frame-document.ts";
import { inHiddenFrame, inScript } from "./hidden-frame.ts";

/** A tool that this browser calls itself, for services that only the user can reach. */
export interface BrowserTool {
  readonly name: string;
  readonly description?: string;
  readonly url: string;
  /** `POST` sends the arguments as JSON, `GET` in the query. Default: `POST`. */
  readonly method?: "GET" | "POST";
  /** The JSON Schema of its input. */
  readonly schema?: Json;
}

export interface BrowserResult {
  readonly text: string;
  readonly isError: boolean;
  /**
   * The document to show: HTML with `Content-Disposition: inline`, a header the service must expose to other origins.
   */
  readonly page?: string;
}

interface Fetched {
  readonly status: number;
  readonly type: string;
  readonly disposition: string;
  readonly text: string;
}

/**
 * Calls the tool from a hidden frame that may reach only the tool's origin, because the page itself may only connect to
 * its own server. The service sees the origin `null` and must allow it (`Access-Control-Allow-Origin: *`).
 */
export const callBrowserTool = async (
  tool: BrowserTool,
  input: unknown,
  signal: AbortSignal,
): Promise<BrowserResult> => {
  try {
    const fetched = await fetchInFrame(requestOf(tool, input), signal);
    return resultOf(tool, fetched);
  } catch (error) {
    signal.throwIfAborted();
    return { text: `${tool.name}: ${messageOf(error)}`, isError: true };
  }
};

export const resultOf = (
  { name, url }: Pick<BrowserTool, "name" | "url">,
  { status, type, disposition, text }: Fetched,
): BrowserResult => {
  if (status < 200 || status > 299)
    return { text: `${name} returned ${status}: ${text.slice(0, 2000)}`, isError: true };
  const isPage = /^text\/html\b/i.test(type) && /^inline\b/i.test(disposition);
  return { text, isError: false, ...(isPage && { page: withBase(text, url) }) };
};

interface FrameRequest {
  readonly url: string;
  /** Without a body, the request is a GET. */
  readonly body?: string;
}

/** In a query, strings are sent unchanged and other values as JSON. */
export const requestOf = ({ url, method }: Pick<BrowserTool, "url" | "method">, input: unknown): FrameRequest => {
  if (method !== "GET") return { url, body: JSON.stringify(input ?? {}) };
  const address = new URL(url);
  for (const [name, value] of Object.entries(input ?? {}))
    address.searchParams.set(name, typeof value === "string" ? value : JSON.stringify(value));
  return { url: address.href };
};

const fetchInFrame = async (request: FrameRequest, signal: AbortSignal): Promise<Fetched> => {
  const { origin } = new URL(request.url);
  try {
    return await inHiddenFrame<Fetched>(fetcher(request), [origin], signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(
      `${origin} could not be reached (${messageOf(error)}). Check that it is running and that it allows other origins.`,
      { cause: error },
    );
  }
};

const fetcher = ({ url, body }: FrameRequest): string => `<!doctype html><script>
fetch(${inScript(url)}, { credentials: "omit"${body === undefined ? "" : `, method: "POST", headers: { "content-type": "application/json" }, body: ${inScript(body)}`} })
  .then(async (response) => parent.postMessage({ answer: { status: response.status, type: response.headers.get("content-type") ?? "",
    disposition: response.headers.get("content-disposition") ?? "", text: await response.text() } }, "*"))
  .catch((error) => parent.postMessage({ failed: String(error.message) }, "*"));
</script>`;
