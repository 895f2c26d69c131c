import { useEffect, useState } from "react";
import { counted } from "runcast/view";
import { useConversationsIfAny } from "../conversations/use-conversations.tsx";
import { Button } from "../kit/button.tsx";
import { usePage } from "../session/page-context.ts";
import { Confirmation } from "./confirmation.tsx";
import { deletedRuns } from "./deleted-runs.ts";

/** The signed-in user. Undefined until the server has responded, and if it has no users. */
export const useUser = (): string | undefined => {
  const { access } = usePage();
  const [user, setUser] = useState<string>();
  useEffect(() => {
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      const response = await access.ask("/me", { signal: stop.signal });
      setUser(((await response.json()) as { user?: string }).user);
    };
    // Without a response there is no user whose data could be deleted.
    if (access.token === undefined) read().catch(() => {});
    return () => stop.abort();
  }, [access]);
  return user;
};

/** Deletes all data of the signed-in user. */
export const YourData = ({ user }: { readonly user: string }) => {
  const { access } = usePage();
  const conversations = useConversationsIfAny();
  const [isAsking, setAsking] = useState(false);
  const remove = async (): Promise<string> => {
    const runs = await deletedRuns(access, `/users/${encodeURIComponent(user)}`);
    const kept = conversations?.overview().list ?? [];
    for (const { id } of kept) await conversations?.erase(id);
    const fromBrowser = conversations ? ` and ${counted(kept.length, "conversation")} from this browser` : "";
    return `Deleted ${counted(runs, "run")} from the server${fromBrowser}.`;
  };
  if (!isAsking) return <Button onClick={() => setAsking(true)}>Delete all my data…</Button>;
  return (
    <div className="rounded-xl border border-line p-3">
      <Confirmation action="Delete all my data" onConfirm={remove} onClose={() => setAsking(false)}>
        <p>
          The server deletes all of <strong>{user}</strong>’s runs with their files and share links
          {conversations && ", and this browser deletes all its conversations"}. Active runs are stopped first. You
          cannot undo this.
        </p>
      </Confirmation>
    </div>
  );
};
