import type { CancelStatus, Client, CancelTarget } from "runcast/client";
import type { Answer } from "runcast/events";
import { createDrafts, type Drafts } from "./drafts.ts";

/** What a viewer may do to a run. What is absent cannot be done: without any of it a run is only shown. */
export interface RunActions {
  /** Resolves when it is stored; an empty target is the whole run. */
  cancel?(target: CancelTarget): Promise<CancelStatus>;
  answer?(ask: string, answer: Answer): Promise<void>;
  /** Runs the same message again. */
  retry?(): void;
  /** Asks the agent to write on where its answer was cut. */
  proceed?(): void;
  /** Bytes beside the run's log; `range` as in the HTTP header. */
  file?(file: string, range?: string): Promise<Response>;
  /** Where a file can be opened without a secret in a header, if it can. */
  link?(file: string): string | undefined;
  /** Puts words that an embed proposes where the person writes the next message: nothing is sent. */
  draft?(text: string): void;
  /** What was entered into open asks: given to every view of the run, so that all of them show the same. */
  readonly drafts: Drafts;
}

export interface RunActionsOptions {
  readonly client: Client;
  readonly run: string;
  readonly mayAct?: boolean;
  readonly mayAnswer?: boolean;
  readonly retry?: () => void;
  readonly proceed?: () => void;
  readonly link?: (file: string) => string | undefined;
  readonly draft?: (text: string) => void;
  /** Default: one of its own. Give the same to all that show the run. */
  readonly drafts?: Drafts;
}

export const createRunActions = ({
  client,
  run,
  mayAct = true,
  mayAnswer = mayAct,
  retry,
  proceed,
  link,
  draft,
  drafts = createDrafts(),
}: RunActionsOptions): RunActions => ({
  ...(mayAct && {
    cancel: (target) => client.cancel(run, target),
    ...(retry && { retry }),
    ...(proceed && { proceed }),
  }),
  ...(mayAnswer && { answer: (ask, answer) => client.answer(run, ask, answer) }),
  file: (file, range) => client.file(run, file, range === undefined ? {} : { range }),
  ...(link && { link }),
  ...(draft && { draft }),
  drafts,
});
