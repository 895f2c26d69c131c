import { useMemo } from "react";
import type { Connection } from "runcast/client";
import type { RunState } from "runcast/state";
import { createRunActions, type RunActions } from "../run/actions.ts";
import type { Jump } from "../run/jump.ts";
import { RunView } from "../run/run-view.tsx";
import type { Access } from "./access.ts";
import { usePage } from "./page-context.ts";

/** What the reader may do to a run here. One object for as long as nothing of that changes. */
export const useRunActions = (run: string, retry: (() => void) | undefined): RunActions => {
  const { access } = usePage();
  return useMemo(
    () =>
      createRunActions({
        client: access.client,
        run,
        mayAct: access.token === undefined,
        link: fileLink(access, run),
        ...(retry && { retry }),
      }),
    [access, run, retry],
  );
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

export interface AnswerProps {
  readonly state: RunState;
  readonly actions: RunActions;
  readonly jump?: Jump | undefined;
  /** Absent for a run that nobody follows here. */
  readonly connection: Connection | undefined;
}

/** The run that answers a message. */
export const Answer = ({ state, actions, jump, connection }: AnswerProps) => (
  <RunView state={state} actions={actions} jump={jump} live={connection?.status === "live"} />
);
