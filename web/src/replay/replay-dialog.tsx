import { useEffect, useMemo, useRef, useState } from "react";
import type { Entry, Problem } from "runcast/events";
import { problemOf } from "../session/access.ts";
import { IconButton } from "../kit/button.tsx";
import { usePage } from "../session/page-context.ts";
import { ProblemNote } from "../kit/problem-note.tsx";
import { createActionsOf } from "../session/run-actions.ts";
import { IconClose } from "../kit/shell-icons.tsx";
import { ReplayView } from "./replay-view.tsx";

export interface ReplayDialogProps {
  readonly run: string;
  readonly load: () => Promise<readonly Entry[]>;
  readonly onClose: () => void;
}

/** The replay of a run over the whole page. */
export const ReplayDialog = ({ run, load, onClose }: ReplayDialogProps) => {
  const element = useRef<HTMLDialogElement>(null);
  const [entries, setEntries] = useState<readonly Entry[]>();
  const [problem, setProblem] = useState<Problem>();
  const { access } = usePage();
  // A recorded run cannot be stopped or answered.
  const actions = useMemo(() => createActionsOf({ access, mayAct: false })(run), [access, run]);
  useEffect(() => {
    const { current } = element;
    if (!current?.open) current?.showModal();
    return () => current?.close();
  }, []);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    let isWanted = true;
    latest.current().then(
      (found) => isWanted && setEntries(found),
      (error: unknown) => isWanted && setProblem(problemOf(error)),
    );
    return () => {
      isWanted = false;
    };
  }, [run]);
  return (
    <dialog
      ref={element}
      aria-label="Replay"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className="m-0 h-dvh max-h-none w-screen max-w-none bg-page p-0 text-ink open:flex"
    >
      <div className="flex min-h-0 grow flex-col">
        <header className="flex h-14 shrink-0 items-center justify-between border-b border-line bg-card pr-2 pl-4">
          <h2 className="text-sm font-semibold">Replay</h2>
          <p className="text-xs text-soft max-md:hidden">Space: play, arrows: step, Home/End: jump, +/−: speed</p>
          <IconButton label="Close" onClick={onClose}>
            <IconClose />
          </IconButton>
        </header>
        {problem && (
          <div className="p-4">
            <ProblemNote problem={problem} />
          </div>
        )}
        {entries && <ReplayView entries={entries} actions={actions} />}
      </div>
    </dialog>
  );
};
