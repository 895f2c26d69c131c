import { useState } from "react";
import type { CancelTarget } from "runcast/client";
import { IconStop } from "../kit/icons.tsx";
import { useRunContext } from "./run-context.ts";
import { troubleText } from "./trouble-text.ts";

type Asked = { readonly text: string; readonly failed?: boolean; readonly waits?: boolean };

/** Stops a sub-agent or a call, and reports the result. Not rendered in read-only views. */
export const StopButton = ({ target, what }: { readonly target: CancelTarget; readonly what: string }) => {
  const { actions } = useRunContext();
  const [asked, setAsked] = useState<Asked>();
  const { cancel } = actions;
  if (!cancel) return null;
  const stop = async () => {
    setAsked({ text: "Stopping…", waits: true });
    try {
      const status = await cancel(target);
      setAsked(status === "cancelled" ? { text: "Stopping…", waits: true } : { text: "Already ended", waits: true });
    } catch (error) {
      setAsked({ text: `Could not stop: ${troubleText(error)}`, failed: true });
    }
  };
  return (
    <span className="inline-flex shrink-0 items-center gap-2">
      <span role="status" className={`text-xs empty:hidden ${asked?.failed ? "text-bad" : "text-soft"}`}>
        {asked?.text}
      </span>
      {!asked?.waits && (
        <button
          type="button"
          onClick={() => void stop()}
          aria-label={`Stop ${what}`}
          className="inline-flex cursor-pointer items-center gap-1 rounded-md border border-line px-1.5 py-0.5 text-xs text-soft hover:border-bad hover:text-bad pointer-coarse:px-2.5 pointer-coarse:py-2"
        >
          <IconStop className="size-3" />
          <span className="@max-xs:hidden">Stop</span>
        </button>
      )}
    </span>
  );
};
