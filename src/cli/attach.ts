import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Client } from "../client.ts";
import type { Part } from "../events.ts";
import { attachmentProblem, type FileLimits, mediaTypeOf } from "../view.ts";
import { CommandError } from "./command.ts";
import { fileTrouble } from "./file-trouble.ts";

/** Uploads the files for a new run and returns the message parts that reference them. */
export const attach = async (
  client: Client,
  run: string,
  files: readonly string[],
  { directory, limits }: { readonly directory: string; readonly limits: FileLimits },
): Promise<readonly Part[]> => {
  const parts: Part[] = [];
  const before: { readonly name: string; readonly mediaType: string; readonly bytes: number }[] = [];
  for (const given of files) {
    const name = path.basename(given);
    const mediaType = mediaTypeOf(name, "");
    const bytes = await readFile(path.resolve(directory, given)).catch((error: unknown) => {
      throw fileTrouble(error, given, "read");
    });
    // Check the limits here: a server that refuses a large body may close the connection before its reason arrives.
    const attached = { name, mediaType, bytes: bytes.length };
    const problem = attachmentProblem(attached, { limits, accepts: undefined, before });
    if (problem) throw new CommandError(problem);
    before.push(attached);
    const { file, bytes: size } = await client.upload(run, bytes, { name, mediaType });
    parts.push({ type: "file", name, mediaType, file, bytes: size });
  }
  return parts;
};
