import type { CallFacts } from "runcast/view";

/** The progress and status of a running call. */
export const Progress = ({ facts: { status, fraction } }: { readonly facts: CallFacts }) => {
  if (status === "" && fraction === undefined) return null;
  return (
    <div className="flex flex-col gap-1" data-progress>
      {status !== "" && <p className="text-xs text-soft [overflow-wrap:anywhere]">{status}</p>}
      {fraction !== undefined && (
        <div
          role="progressbar"
          aria-label={status || "Progress"}
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
