import { useEffect, useMemo, useRef } from "react";
import type { ShownRun } from "../conversations/runs.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { ProblemNote } from "../kit/problem-note.tsx";
import { AskList } from "./ask-list.tsx";
import { useOpenAsks } from "../run/use-open-asks.ts";
import { usePage } from "../session/page-context.ts";
import { createActionsOf } from "../session/run-actions.ts";
import { useFollowedRun } from "../session/use-followed-run.ts";

interface AnswerDialogProps {
  readonly run: string;
  readonly title: string;
  readonly onClose: () => void;
}

/** The open asks of a run, with the arguments of their calls. Follows the run while it is open. */
export const AnswerDialog = ({ run, title, onClose }: AnswerDialogProps) => {
  const { access } = usePage();
  const shown = useFollowedRun(access, run);
  return (
    <Dialog title={title} onClose={onClose}>
      {shown && <Asks shown={shown} onClose={onClose} />}
    </Dialog>
  );
};

const Asks = ({
  shown: { run, state, connection },
  onClose,
}: {
  readonly shown: ShownRun;
  readonly onClose: () => void;
}) => {
  const { access, route } = usePage();
  const asks = useOpenAsks(state);
  const open = asks.length;
  const actionsOf = useMemo(() => createActionsOf({ access }), [access]);
  const hadSome = useRef(false);
  useEffect(() => {
    if (open > 0) hadSome.current = true;
    else if (hadSome.current) onClose();
  }, [open, onClose]);
  const refused = connection?.status === "failed" ? connection.problem : undefined;
  if (refused) return <ProblemNote problem={refused} />;
  const openRun = () => route.go({ run });
  return (
    <div className="flex flex-col gap-3 text-sm">
      {open > 0 ? (
        <AskList state={state} asks={asks} actions={actionsOf(run)} />
      ) : (
        <p role="status" className="text-soft">
          {connection?.status === "live" || connection === undefined
            ? "This run has no open questions."
            : "Opening the run…"}
        </p>
      )}
      <div>
        <Button onClick={openRun}>Open the run</Button>
      </div>
    </div>
  );
};
