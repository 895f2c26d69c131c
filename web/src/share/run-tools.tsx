import { useState } from "react";
import { createPortal } from "react-dom";
import type { Entry } from "runcast/events";
import { Action } from "../kit/action.tsx";
import { IconReplay, IconShare, IconTrash } from "../kit/icons.tsx";
import { loadLater } from "../kit/load-later.tsx";
import { usePage } from "../session/page-context.ts";

const ReplayDialog = loadLater(async () => (await import("../replay/replay-dialog.tsx")).ReplayDialog);
const DeleteRunDialog = loadLater(async () => (await import("../deletion/delete-run-dialog.tsx")).DeleteRunDialog);
const ShareDialog = loadLater(async () => (await import("./share-dialog.tsx")).ShareDialog);

export interface RunToolsProps {
  readonly run: string;
  /** Loads all known entries of the run. Default: from the server. */
  readonly load?: () => Promise<readonly Entry[]>;
}

/** Actions on a whole run: replay, share, and delete. */
export const RunTools = ({ run, load }: RunToolsProps) => {
  const { access } = usePage();
  const [open, setOpen] = useState<"replay" | "share" | "delete">();
  const close = () => setOpen(undefined);
  /** The entries in this browser, or else those of the server. */
  const everything = async (): Promise<readonly Entry[]> => {
    const kept = await load?.();
    return kept && kept.length > 0 ? kept : await fromServer();
  };
  const fromServer = async (): Promise<readonly Entry[]> => {
    const text = await (await access.ask(`/runs/${encodeURIComponent(run)}/export.jsonl`)).text();
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Entry);
  };
  return (
    <>
      <Action onClick={() => setOpen("replay")} icon={<IconReplay className="size-3.5" />}>
        Replay
      </Action>
      {access.token === undefined && (
        <Action onClick={() => setOpen("share")} icon={<IconShare className="size-3.5" />}>
          Share
        </Action>
      )}
      {access.token === undefined && (
        <Action onClick={() => setOpen("delete")} icon={<IconTrash className="size-3.5" />}>
          Delete
        </Action>
      )}
      {createPortal(
        <>
          {open === "replay" && <ReplayDialog run={run} load={everything} onClose={close} />}
          {open === "share" && <ShareDialog run={run} onClose={close} />}
          {open === "delete" && <DeleteRunDialog run={run} isKept={load !== undefined} onClose={close} />}
        </>,
        // Outside of the message, which is small and may be scrolled out of view.
        document.body,
      )}
    </>
  );
};
