import type { ReactNode } from "react";
import type { Problem } from "runcast/events";
import { sentence } from "runcast/view";
import { IconFailed } from "./shell-icons.tsx";

/** A problem, what to do about it, and the buttons to do it. */
export const ProblemNote = ({ problem, children }: { readonly problem: Problem; readonly children?: ReactNode }) => (
  <div role="alert" className="flex gap-2.5 rounded-xl border border-bad/40 bg-card px-3 py-3 text-sm">
    <IconFailed className="mt-0.5 size-4.5 text-bad" />
    <div className="min-w-0 grow">
      <p className="font-medium break-words text-bad">{sentence(problem.message)}</p>
      {problem.hint && <p className="mt-0.5 break-words text-soft">{sentence(problem.hint)}</p>}
      {children && <div className="mt-2 flex flex-wrap gap-2">{children}</div>}
    </div>
  </div>
);
