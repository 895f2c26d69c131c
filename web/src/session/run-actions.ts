import { createRunActions, type RunActions } from "../run/actions.ts";
import type { Access } from "./access.ts";

export interface RunActionsOptions {
  readonly access: Access;
  /** Default: unless the page was opened with a token. */
  readonly mayAct?: boolean;
  /** Whether the reader may answer what the run asks. Default: `mayAct`. */
  readonly mayAnswer?: boolean;
  /** Asks for the answer of this run once more. */
  readonly retry?: (run: string) => void;
  /** Asks the agent of this run to write on. */
  readonly proceed?: (run: string) => void;
  /** Proposes words for the next message. */
  readonly draft?: (text: string) => void;
}

/** What the reader may do to each run here. The same object for every view of a run, so that all of them show the same. */
export const createActionsOf = ({
  access,
  mayAct = access.token === undefined,
  mayAnswer = mayAct,
  retry,
  proceed,
  draft,
}: RunActionsOptions): ((run: string) => RunActions) => {
  const known = new Map<string, RunActions>();
  return (run) => {
    const found = known.get(run);
    if (found) return found;
    const made = createRunActions({
      client: access.client,
      run,
      mayAct,
      mayAnswer,
      link: fileLink(access, run),
      ...(retry && { retry: () => retry(run) }),
      ...(proceed && { proceed: () => proceed(run) }),
      ...(draft && { draft }),
    });
    known.set(run, made);
    return made;
  };
};

/** A browser that opens a link sends no header: with a key there is none. */
const fileLink =
  ({ key, token }: Access, run: string) =>
  (file: string): string | undefined => {
    const query = token === undefined ? "" : `?token=${encodeURIComponent(token)}`;
    return key !== undefined && token === undefined
      ? undefined
      : `runs/${encodeURIComponent(run)}/files/${encodeURIComponent(file)}${query}`;
  };
