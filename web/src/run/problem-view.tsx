import type { ProblemFacts } from "runcast/view";

/** A problem and what to do about it. */
export const ProblemView = ({ problem: { message, hint, tone } }: { readonly problem: ProblemFacts }) => (
  <div className="text-sm [overflow-wrap:anywhere]" data-problem={tone}>
    <p className={`whitespace-pre-wrap ${tone === "bad" ? "text-bad" : "text-soft"}`}>{message}</p>
    {hint && <p className="text-soft">{hint}</p>}
  </div>
);

/** Why an answer is incomplete, and what to do about it. Renders nothing if it is complete. */
export const Advice = ({ text }: { readonly text: string }) =>
  text === "" ? null : (
    <p className="rounded-lg border border-pending bg-warm px-3 py-2 text-sm" data-advice>
      {text}
    </p>
  );
