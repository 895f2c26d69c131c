import { counted } from "runcast/view";
import type { ConversationFact } from "../conversations/conversation.ts";
import { useConversations } from "../conversations/use-conversations.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { usePage } from "../session/page-context.ts";
import { Confirmation } from "./confirmation.tsx";
import { deletedRuns } from "./deleted-runs.ts";

export interface DeleteConversationDialogProps {
  readonly conversation: ConversationFact;
  readonly onClose: () => void;
}

/** Permanently deletes a conversation: its runs on the server, and this browser's copy. */
export const DeleteConversationDialog = ({ conversation: { id, title }, onClose }: DeleteConversationDialogProps) => {
  const { access } = usePage();
  const { erase } = useConversations();
  const remove = async (): Promise<string> => {
    const count = await deletedRuns(access, `/threads/${encodeURIComponent(id)}`);
    await erase(id);
    return `The conversation was deleted from this browser, and ${counted(count, "run")} from the server.`;
  };
  return (
    <Dialog title="Delete everywhere" onClose={onClose}>
      <Confirmation action="Delete everywhere" onConfirm={remove} onClose={onClose}>
        <p className="font-medium break-words">{title || "Untitled"}</p>
        <p>
          The server deletes all runs in this conversation with their files and share links, and this browser deletes
          its copy. Active runs are stopped first. You cannot undo this.
        </p>
      </Confirmation>
    </Dialog>
  );
};
