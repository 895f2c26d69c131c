import type { CancelStatus, Client, CancelTarget } from "runcast/client";
import type { Answer } from "runcast/events";
import { createDrafts, type Drafts } from "./drafts.ts";

/** What a viewer may do to a run. An absent action is not allowed. Without any, the run is read-only. */
export interface RunActions {
  /** Resolves when the cancellation is stored. An empty target means the whole run. */
  cancel?(target: CancelTarget): Promise<CancelStatus>;
  answer?(ask: string, answer: Answer): Promise<void>;
  /** Revokes an answer with `always`. */
  revoke?(ask: string): Promise<void>;
  /** Runs the same message again. */
  retry?(): void;
  /** Asks the agent to continue an answer that was cut off. */
  proceed?(): void;
  /** Continues a run that failed, after its last finished step. */
  resume?(): void;
  /** Reads a file stored with the run's log. `range` as in the HTTP header. */
  file?(file: string, range?: string): Promise<Response>;
  /** A URL for the file that needs no authorization header, if there is one. */
  link?(file: string): string | undefined;
  /** Puts text proposed by an embed into the message field. Nothing is sent. */
  draft?(text: string): void;
  /** Input entered into open asks. Shared by all views of the run, so they show the same. */
  readonly drafts: Drafts;
}

export interface RunActionsOptions {
  readonly client: Client;
  readonly run: string;
  readonly mayAct?: boolean;
  readonly mayAnswer?: boolean;
  readonly retry?: () => void;
  readonly proceed?: () => void;
  readonly resume?: () => void;
  readonly link?: (file: string) => string | undefined;
  readonly draft?: (text: string) => void;
  /** Default: a new store. Share one among all views of the run. */
  readonly drafts?: Drafts;
}

export const createRunActions = ({
  client,
  run,
  mayAct = true,
  mayAnswer = mayAct,
  retry,
  proceed,
  resume,
  link,
  draft,
  drafts = createDrafts(),
}: RunActionsOptions): RunActions => ({
  ...(mayAct && {
    cancel: (target) => client.cancel(run, target),
    ...(retry && { retry }),
    ...(proceed && { proceed }),
    ...(resume && { resume }),
  }),
  ...(mayAnswer && {
    answer: (ask, answer) => client.answer(run, ask, answer),
    revoke: (ask) => client.revoke(run, ask),
  }),
  file: (file, range) => client.file(run, file, range === undefined ? {} : { range }),
  ...(link && { link }),
  ...(draft && { draft }),
  drafts,
});
