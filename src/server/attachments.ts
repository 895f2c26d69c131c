import { type Principal, may } from "../access.ts";
import type { Part } from "../events.ts";
import type { Log } from "../log.ts";
import { Refusal, type RunRequest } from "../source.ts";
import type { Limits } from "./limits.ts";
import { HttpRefusal } from "./refusals.ts";

type FilePart = Extract<Part, { type: "file" }>;
export type FileLimits = Pick<Limits, "fileBytes" | "filesBytes" | "files">;

/**
 * Throws a Refusal if the request's files are too large or too many, or if it names files that the principal may not
 * read. A file of a run that has not started is known only to its uploader.
 */
export const checkAttachments = async (
  log: Log,
  limits: FileLimits,
  request: RunRequest,
  principal: Principal,
): Promise<void> => {
  const inMessages = request.messages.flatMap(({ content }) => content.filter((part) => part.type === "file"));
  const parts = [...inMessages, ...(request.files ?? [])];
  if (parts.length > limits.files)
    throw new HttpRefusal(
      413,
      "too-many-files",
      `A request can include up to ${limits.files} files; this one has ${parts.length}.`,
      "Send fewer. The limits.files setting sets this limit.",
    );
  let total = 0;
  for (const part of parts) {
    const bytes = part.file === undefined ? inLineBytes(part) : await storedBytes(log, part, request.run, principal);
    if (bytes > limits.fileBytes) throw fileTooLarge(part.name, bytes, limits.fileBytes);
    total += bytes;
  }
  if (total > limits.filesBytes)
    throw new HttpRefusal(
      413,
      "files-too-large",
      `A request's files can total up to ${megabytes(limits.filesBytes)}; these total ${megabytes(total)}.`,
      "Send fewer or smaller files. The limits.filesBytes setting sets this limit.",
    );
};

export const fileTooLarge = (name: string | undefined, bytes: number, most: number): HttpRefusal =>
  new HttpRefusal(
    413,
    "file-too-large",
    `${name ? `The file ${name.slice(0, 100)}` : "A file"} is ${megabytes(bytes)}; the limit is ${megabytes(most)}.`,
    "Send a smaller file. The limits.fileBytes setting sets this limit.",
  );

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

const inLineBytes = ({ data, url }: FilePart): number =>
  data === undefined && !url?.startsWith("data:") ? 0 : Math.floor(((data ?? url ?? "").length * 3) / 4);

const storedBytes = async (
  log: Log,
  { file = "", run: named, name }: FilePart,
  own: string | undefined,
  principal: Principal,
): Promise<number> => {
  const run = named ?? own;
  const info = run === undefined || run === own ? undefined : await log.info(run);
  const stored = run !== undefined && (!info || may(principal, "watch", info)) && (await log.get(run, file));
  // An earlier file may be gone with its run, and the agent is informed. A file of the new message must exist.
  if (stored) return stored.size;
  if (info?.dropped) return 0;
  throw new Refusal("unknown-file", `The file ${name ?? file.slice(0, 100)} is not stored on this server.`, {
    hint: "Upload it with POST /runs/<run>/files, or attach it again.",
  });
};
