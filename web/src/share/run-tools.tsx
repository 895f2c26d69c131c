import { type ReactNode, useState } from "react";
import { createPortal } from "react-dom";
import type { Entry } from "runcast/events";
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
      <Tool onClick={() => setOpen("replay")} drawing={<path d="M5 3v10l8-5-8-5Z" />}>
        Replay
      </Tool>
      {access.token === undefined && (
        <Tool onClick={() => setOpen("share")} drawing={<path d="M8 9.5V2.5M5 5l3-2.5L11 5M4 8H3v5.5h10V8h-1" />}>
          Share
        </Tool>
      )}
      {access.token === undefined && (
        <Tool onClick={() => setOpen("delete")} drawing={<path d="M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9" />}>
          Delete
        </Tool>
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

const Tool = ({
  drawing,
  children,
  onClick,
}: {
  readonly drawing: ReactNode;
  readonly children: string;
  readonly onClick: () => void;
}) => (
  <button
    type="button"
    onClick={onClick}
    className="inline-flex items-center gap-1 rounded-md px-1.5 py-1 text-xs text-soft hover:bg-sunken hover:text-ink"
  >
    <svg
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="size-3.5 shrink-0"
    >
      {drawing}
    </svg>
    {children}
  </button>
);
