import type { CallNode } from "runcast/state";
import { visibleText } from "runcast/markdown";

/** How far a running call is, and what it says that it does. */
export const Progress = ({ call }: { readonly call: CallNode }) => {
  if (call.endedAt !== undefined) return null;
  const { fraction, note } = call.progress ?? {};
  const said = visibleText([call.status, note].filter(Boolean).join(" · "));
  if (said === "" && fraction === undefined) return null;
  return (
    <div className="flex flex-col gap-1" data-progress>
      {said !== "" && <p className="text-xs text-soft [overflow-wrap:anywhere]">{said}</p>}
      {fraction !== undefined && (
        <div
          role="progressbar"
          aria-label={note ?? "Progress"}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(fraction * 100)}
          className="h-1.5 overflow-hidden rounded-full bg-sunken"
        >
          <div
            className="h-full rounded-full bg-executing transition-[width] motion-reduce:transition-none"
            style={{ width: `${fraction * 100}%` }}
          />
        </div>
      )}
    </div>
  );
};
