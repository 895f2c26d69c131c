import { createRunActions, type RunActions } from "../run/actions.ts";
import type { Access } from "./access.ts";

export interface RunActionsOptions {
  readonly access: Access;
  /** Default: true, unless the page was opened with a token. */
  readonly mayAct?: boolean;
  /** Whether the user may answer the run's asks. Default: `mayAct`. */
  readonly mayAnswer?: boolean;
  /** Requests another answer to the same message. */
  readonly retry?: (run: string) => void;
  /** Asks the agent of this run to continue. */
  readonly proceed?: (run: string) => void;
  /** Continues this run, which failed, after its last finished step. */
  readonly resume?: (run: string) => void;
  /** Proposes text for the next message. */
  readonly draft?: (text: string) => void;
}

/** The user's actions on each run. All views of a run share one object, so they show the same state. */
export const createActionsOf = ({
  access,
  mayAct = access.token === undefined,
  mayAnswer = mayAct,
  retry,
  proceed,
  resume,
  draft,
}: RunActionsOptions): ((run: string) => RunActions) => {
  const known = new Map<string, RunActions>();
  return (run) => {
    const found = known.get(run);
    if (found) return found;
    const actions = createRunActions({
      client: access.client,
      run,
      mayAct,
      mayAnswer,
      link: fileLink(access, run),
      ...(retry && { retry: () => retry(run) }),
      ...(proceed && { proceed: () => proceed(run) }),
      ...(resume && { resume: () => resume(run) }),
      ...(draft && { draft }),
    });
    known.set(run, actions);
    return actions;
  };
};

/** Opening a link sends no authorization header, so there is no link if a key is needed. */
const fileLink =
  ({ key, token }: Access, run: string) =>
  (file: string): string | undefined => {
    const query = token === undefined ? "" : `?token=${encodeURIComponent(token)}`;
    return key !== undefined && token === undefined
      ? undefined
      : `runs/${encodeURIComponent(run)}/files/${encodeURIComponent(file)}${query}`;
  };
