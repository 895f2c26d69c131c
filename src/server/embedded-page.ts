import type { Principal } from "../access.ts";
import type { Log } from "../log.ts";
import type { Owners } from "./owners.ts";
import type { Readings } from "./readings.ts";

const MAX_BYTES = 8 * 1024 * 1024;

/** A page that a run embeds, as a document or a URL, if the principal may watch the run. */
export const embeddedPage = async (
  { log, owners, readings }: { readonly log: Log; readonly owners: Owners; readonly readings: Readings },
  principal: Principal,
  run: string,
  embed: string,
): Promise<{ readonly html: string } | { readonly url: string } | undefined> => {
  await owners.info(principal, "watch", run);
  const { html, url, file } = (await readings(principal).states.embed(run, embed)) ?? {};
  if (html !== undefined) return { html };
  if (file === undefined) return url === undefined ? undefined : { url };
  const stored = await log.get(run, file);
  if (!stored || stored.size > MAX_BYTES) return undefined;
  return { html: Buffer.concat(await Array.fromAsync(stored.bytes)).toString() };
};
