import type { Json } from "runcast/events";
import { inHiddenFrame, inScript } from "./hidden-frame.ts";

const MAX_MS = 10_000;
const MAX_CHARACTERS = 100_000;

/**
 * Runs a tool's JavaScript in a frame that can reach nothing: not this page, its server, or any other origin. The code
 * is the body of an async function, as in Open WebUI. Its return value must be JSON.
 */
export const runCode = async (code: string): Promise<Json> => {
  const text = await inHiddenFrame<unknown>(runner(code), [], AbortSignal.timeout(MAX_MS)).catch((error: unknown) => {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    throw isLate ? new Error(`it took more than ${MAX_MS / 1000} seconds`) : error;
  });
  if (typeof text !== "string") throw new Error("its return value is not JSON");
  if (text.length > MAX_CHARACTERS) throw new Error(`it returned more than ${MAX_CHARACTERS} characters`);
  return JSON.parse(text) as Json;
};

const runner = (code: string): string => `<!doctype html><script>
(async () => {
  try {
    const AsyncFunction = (async () => {}).constructor;
    const value = await new AsyncFunction(${inScript(code)})();
    parent.postMessage({ answer: JSON.stringify(value === undefined ? null : value) ?? "null" }, "*");
  } catch (error) {
    parent.postMessage({ failed: String(error?.message ?? error) }, "*");
  }
})();
</script>`;
