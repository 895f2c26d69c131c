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
        {trouble.message} {ADVICE[trouble.code]}
      </span>
    </p>
  );
};

const ADVICE = {
  full: "New messages are stored only while this tab is open. Export or delete conversations to free space.",
  unavailable: "Conversations are stored only while this tab is open. Export what you want to keep.",
  failed: "New messages may be stored only while this tab is open.",
} as const;
