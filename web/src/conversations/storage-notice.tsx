import { IconWarning } from "../kit/icons.tsx";
import { useConversations } from "./use-conversations.tsx";

/** Explains what the browser cannot store, and what to do about it. Renders nothing while storage works. */
export const StorageNotice = ({ className = "" }: { readonly className?: string }) => {
  const { trouble } = useConversations();
  if (!trouble) return null;
  return (
    <p role="alert" className={`flex gap-2 rounded-lg border border-pending bg-warm px-3 py-2 text-xs ${className}`}>
      <IconWarning className="mt-0.5 size-4 text-pending" />
      <span>
        {trouble.message} {TOLD[trouble.code]}
      </span>
    </p>
  );
};

const TOLD = {
  full: "What comes now is kept only while this tab is open: export or remove conversations to make room.",
  unavailable: "Conversations last only while this tab is open: export what you want to keep.",
  failed: "What comes now may be kept only while this tab is open.",
} as const;
