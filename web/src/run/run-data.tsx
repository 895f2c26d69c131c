import { memo, useState } from "react";
import type { Json } from "runcast/events";
import { useRun } from "runcast/react";
import { type PlanFacts, slotsOf } from "runcast/view";
import { IconCheck, IconClock, IconDenied, IconSpinner } from "../kit/icons.tsx";
import { Fold } from "../kit/fold.tsx";
import { AllowedTools } from "./allowed-tools.tsx";
import { useRunContext } from "./run-context.ts";
import { ShapedView } from "./shaped-view.tsx";

/** The data slots of a run: its plan as a checklist, others as data. */
export const RunData = memo(() => {
  const { state } = useRunContext();
  return slotsOf(useRun(state)).map((slot) => {
    if (slot.kind === "plan") return <Plan key={slot.key} plan={slot.plan} />;
    if (slot.kind === "allowed") return <AllowedTools key={slot.key} tools={slot.tools} />;
    if (slot.value !== undefined) return <Slot key={slot.key} name={slot.key} text={slot.text} value={slot.value} />;
    return (
      <p key={slot.key} className="text-xs text-soft [overflow-wrap:anywhere]" data-slot={slot.key}>
        {slot.text}
      </p>
    );
  });
});

const Plan = ({ plan: { todos, progress } }: { readonly plan: PlanFacts }) => {
  const [open, setOpen] = useState(true);
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

const Slot = ({ name, text, value }: { readonly name: string; readonly text: string; readonly value: Json }) => {
  const [open, setOpen] = useState(false);
  return (
    <div role="group" aria-label={`Data ${name}`} className="rounded-lg border border-line bg-card text-sm">
      <Fold
        open={open}
        onToggle={setOpen}
        line={<span className="flex-1 truncate font-mono text-xs text-soft">{text}</span>}
      >
        <div className="border-t border-line px-3 py-2">{open && <ShapedView value={structuredClone(value)} />}</div>
      </Fold>
    </div>
  );
};
