import { useEffect, useState } from "react";
import { useConversations } from "./use-conversations.tsx";

const SHOWN_MS = 10_000;

/** Offers to restore the last deleted conversation for a few seconds. */
export const UndoBar = () => {
  const { deleted, restore } = useConversations();
  const [now, setNow] = useState(Date.now());
  const last = deleted.toSorted((one, other) => (other.deletedAt ?? 0) - (one.deletedAt ?? 0))[0];
  const until = (last?.deletedAt ?? 0) + SHOWN_MS;
  useEffect(() => {
    const timer = setTimeout(() => setNow(Date.now()), Math.max(0, until - Date.now()) + 10);
    return () => clearTimeout(timer);
  }, [until]);
  const isShown = last !== undefined && now < until;
  return (
    <div role="status">
      {isShown && (
        <p className="flex items-center gap-2 rounded-lg border border-line bg-card px-3 py-2">
          <span className="min-w-0 flex-1 truncate">Deleted “{last.title || "Untitled"}”</span>
          <button
            type="button"
            onClick={() => void restore(last.id)}
            className="rounded-md px-2 py-0.5 font-medium text-accent hover:underline"
          >
            Undo
          </button>
        </p>
      )}
    </div>
  );
};
