import { Dialog } from "../kit/dialog.tsx";
import { usePage } from "../session/page-context.ts";
import { Confirmation } from "./confirmation.tsx";

export interface DeleteRunDialogProps {
  readonly run: string;
  /** Whether the run belongs to a conversation stored in this browser. */
  readonly isKept: boolean;
  readonly onClose: () => void;
}

export const DeleteRunDialog = ({ run, isKept, onClose }: DeleteRunDialogProps) => {
  const { access } = usePage();
  const remove = async (): Promise<string> => {
    await access.ask(`/runs/${encodeURIComponent(run)}`, { method: "DELETE" });
    return "The run, its files and its share links were deleted from the server.";
  };
  return (
    <Dialog title="Delete this run" onClose={onClose}>
      <Confirmation action="Delete run" onConfirm={remove} onClose={onClose}>
        <p>
          The server deletes this run with its files and share links. If it is still running, the server stops it first.
          You cannot undo this.
        </p>
        {isKept && <p className="text-soft">This browser keeps its own copy until you delete the conversation.</p>}
      </Confirmation>
    </Dialog>
  );
};
