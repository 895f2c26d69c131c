import type { IncomingMessage } from "node:http";
import { type Principal, startedBy } from "../access.ts";
import { type Log } from "../log.ts";
import { isRunId, RUN_ID_RULE } from "../run-id.ts";
import { Refusal } from "../source.ts";
import { fileTooLarge } from "./attachments.ts";
import type { BodyBudget } from "./body-budget.ts";
import { readBytes } from "./body.ts";
import type { Limits } from "./limits.ts";
import type { Owners } from "./owners.ts";
import type { PlainRoute } from "./plain-route.ts";
import { taken, tooMany } from "./refusals.ts";

export interface UploadsOptions {
  readonly log: Log;
  readonly owners: Owners;
  readonly limits: Pick<Limits, "fileBytes" | "uploadBytes">;
  readonly budget: BodyBudget;
  /** Throws a Refusal if the user, or all users together, stored too much. */
  readonly checkQuota: (user: string | undefined) => Promise<void>;
  /** Attributes the bytes of a run that has not started to a user. */
  readonly claim: (run: string, user: string | undefined) => void;
  readonly onError: (error: unknown) => void;
}

/** Uploads are removed if their run has not started by then. */
const WAIT_MS = 3_600_000;

/** Files for a run that is about to start, whose first message refers to them. */
export const uploadRoute = (options: UploadsOptions): PlainRoute => {
  const { log, owners, limits, budget } = options;
  /** The bytes of all runs that may not have started. */
  let waiting = 0;
  const expire = async (run: string, file: string): Promise<void> => {
    if (!(await log.info(run))) await log.discard(run, [file]);
  };
  return {
    method: "POST",
    path: "/runs/:run/files",
    summary: "Stores the body as a file for the run that the client starts next under this id.",
    query: ["name"],
    handle: async ({ env, req, json }) => {
      const { principal, incoming } = env;
      owners.allow(principal, "start");
      const run = req.param("run") ?? "";
      const name = req.query("name")?.slice(0, 256);
      if (!isRunId(run))
        throw new Refusal("bad-request", `a run id must be ${RUN_ID_RULE}`, { hint: "choose another id" });
      if (await log.info(run)) throw taken(run);
      const user = userOf(principal);
      await options.checkQuota(user);
      const tooLarge = (bytes: number) => fileTooLarge(name, bytes, limits.fileBytes);
      const length = Number(incoming.headers["content-length"] ?? 0);
      if (length > limits.fileBytes) throw tooLarge(length);
      if (waiting + length > limits.uploadBytes)
        throw tooMany("too-many-uploads", "too many uploaded files are waiting for their runs", "limits.uploadBytes");
      const bytes = await readBytes(incoming, limits.fileBytes, budget, tooLarge);
      options.claim(run, user);
      const kept = { mediaType: mediaTypeOf(incoming), ...(name && { name }) };
      const { file, mediaType } = await log.put(run, bytes, kept);
      waiting += bytes.length;
      setTimeout(() => {
        waiting -= bytes.length;
        expire(run, file).catch(options.onError);
      }, WAIT_MS).unref();
      return json({ file, mediaType, bytes: bytes.length, ...(name && { name }) }, 201);
    },
  };
};

const userOf = (principal: Principal): string | undefined => startedBy(principal, undefined)?.id;

const mediaTypeOf = ({ headers }: IncomingMessage): string => {
  const type = (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) && type.length < 128 ? type : "application/octet-stream";
};
