import { useState } from "react";
import type { AllowedTool } from "runcast/view";
import { useRunContext } from "./run-context.ts";
import { troubleText } from "./trouble-text.ts";

/** The tools that need no approval for the rest of the run, each with a button to revoke that. */
export const AllowedTools = ({ tools }: { readonly tools: readonly AllowedTool[] }) => (
  <div
    role="group"
    aria-label="Always allowed in this run"
    data-allowed
    className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-soft"
  >
    <span>Always allowed in this run:</span>
    {tools.map((one) => (
      <Allowed key={one.tool} {...one} />
    ))}
  </div>
);

const Allowed = ({ tool, asks }: AllowedTool) => {
  const { revoke } = useRunContext().actions;
  const [asked, setAsked] = useState<"waits" | { readonly trouble: string }>();
  const press = async () => {
    if (!revoke || asked === "waits") return;
    setAsked("waits");
    try {
      await Promise.all(asks.map((ask) => revoke(ask)));
      // The entry that removes this arrives with the run's stream. Until then, a second press would do nothing.
    } catch (error) {
      setAsked({ trouble: `Could not revoke: ${troubleText(error)}` });
    }
  };
  return (
    <span className="inline-flex min-w-0 flex-wrap items-center gap-1.5">
      <span className="font-mono text-ink [overflow-wrap:anywhere]">{tool}</span>
      {revoke && asks.length > 0 && (
        <button
          type="button"
          aria-disabled={asked === "waits"}
          onClick={() => void press()}
          aria-label={`Revoke: ask again before ${tool}`}
          className="cursor-pointer rounded-md border border-line px-1.5 py-0.5 text-xs text-soft hover:border-bad hover:text-bad aria-disabled:cursor-default pointer-coarse:px-2.5 pointer-coarse:py-2"
        >
          {asked === "waits" ? "Revoking…" : "Revoke"}
        </button>
      )}
      <span role="status" className="text-bad empty:hidden">
        {typeof asked === "object" && asked.trouble}
      </span>
    </span>
  );
};
