import { memo, useState } from "react";
import type { Json } from "runcast/events";
import { useRun } from "runcast/react";
import { contextText, describePlan, describeRun, type PlanFacts } from "runcast/view";
import { IconCheck, IconClock, IconDenied, IconSpinner } from "../kit/icons.tsx";
import { Fold } from "../kit/fold.tsx";
import { useRunContext } from "./run-context.ts";
import { ShapedView } from "./shaped-view.tsx";

/**
 * Slots that are shown elsewhere on the page, or only meant for programs (the session and commands of a coding agent).
 */
const ELSEWHERE: ReadonlySet<string> = new Set(["title", "tags", "follow-ups", "session", "commands"]);

/** The data slots of a run: its plan as a checklist, others as data. */
export const RunData = memo(() => {
  const { state } = useRunContext();
  const { data } = useRun(state);
  const { isOver } = describeRun(state);
  return [...data].map(([key, value]) => {
    const [name = key] = key.split(" ");
    if (ELSEWHERE.has(name) || value === undefined) return null;
    const context = name === "context" ? contextText(value) : undefined;
    if (context !== undefined)
      return (
        <p key={key} className="text-xs text-soft" data-context>
          {context}
        </p>
      );
    const plan = name === "todos" ? describePlan(value, isOver) : undefined;
    return plan ? <Plan key={key} plan={plan} /> : <Slot key={key} name={key} value={value} />;
  });
});

const Plan = ({ plan: { todos, progress } }: { readonly plan: PlanFacts }) => {
  const [open, setOpen] = useState(true);
  if (todos.length === 0) return null;
  return (
    <div role="group" aria-label="Plan" data-todos className="rounded-lg border border-line bg-card text-sm">
      <Fold
        open={open}
        onToggle={setOpen}
        line={
          <span className="flex-1 font-medium">
            Plan <span className="font-normal text-soft">{progress}</span>
          </span>
        }
      >
        <ul className="flex flex-col gap-1 border-t border-line px-3 py-2">
          {todos.map((todo) => {
            const { Icon, color, style } = STATUSES[todo.status];
            return (
              <li key={todo.id} data-status={todo.status} className="flex items-start gap-2">
                <span className={`mt-0.5 ${color}`}>
                  <Icon />
                </span>
                <span className={`[overflow-wrap:anywhere] ${style}`}>{todo.text}</span>
                <span className="sr-only">{todo.word}</span>
              </li>
            );
          })}
        </ul>
      </Fold>
    </div>
  );
};

const STATUSES = {
  pending: { Icon: IconClock, color: "text-soft", style: "" },
  active: { Icon: IconSpinner, color: "text-executing", style: "font-medium" },
  done: { Icon: IconCheck, color: "text-ok", style: "text-soft" },
  cancelled: { Icon: IconDenied, color: "text-soft", style: "text-soft line-through" },
  left: { Icon: IconClock, color: "text-pending", style: "" },
} as const;

const Slot = ({ name, value }: { readonly name: string; readonly value: Json }) => {
  const [open, setOpen] = useState(false);
  return (
    <div role="group" aria-label={`Data ${name}`} className="rounded-lg border border-line bg-card text-sm">
      <Fold open={open} onToggle={setOpen} line={<span className="flex-1 truncate font-mono text-xs">{name}</span>}>
        <div className="border-t border-line px-3 py-2">{open && <ShapedView value={structuredClone(value)} />}</div>
      </Fold>
    </div>
  );
};
