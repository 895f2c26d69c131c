import { type ReactNode, useState } from "react";
import type { Problem } from "runcast/events";
import { Button } from "../kit/button.tsx";
import { ProblemNote } from "../kit/problem-note.tsx";
import { problemOf } from "../session/access.ts";

export interface ConfirmationProps {
  /** What is about to be deleted. */
  readonly children: ReactNode;
  /** The label of the confirm button. */
  readonly action: string;
  /** Deletes it. Resolves with a text that names what was deleted. */
  readonly onConfirm: () => Promise<string>;
  readonly onClose: () => void;
}

/** Deletes after the user has confirmed, and reports what was deleted or why it failed. */
export const Confirmation = ({ children, action, onConfirm, onClose }: ConfirmationProps) => {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [result, setResult] = useState<string>();
  const confirm = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      setResult(await onConfirm());
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="flex flex-col gap-4 text-sm">
      {result === undefined && <div className="flex flex-col gap-2">{children}</div>}
      <p role="status" className="empty:hidden">
        {result}
      </p>
      {problem && <ProblemNote problem={problem} />}
      <div className="flex flex-wrap justify-end gap-2">
        {result === undefined && (
          <Button className="border-bad! text-bad!" disabled={isBusy} onClick={() => void confirm()}>
            {isBusy ? "Deleting…" : action}
          </Button>
        )}
        <Button kind={result === undefined ? "plain" : "main"} disabled={isBusy} onClick={onClose}>
          {result === undefined ? "Keep" : "Done"}
        </Button>
      </div>
    </div>
  );
};
