import { memo, useState } from "react";
import type { Json } from "runcast/events";
import { useRun } from "runcast/react";
import { IconCheck, IconClock, IconDenied, IconSpinner } from "../kit/icons.tsx";
import { visibleText } from "runcast/markdown";
import { Fold } from "../kit/fold.tsx";
import { useRunContext } from "./run-context.ts";
import { type Todo, todosOf } from "./todos.ts";
import { ValueView } from "./value-view.tsx";

/** Shown elsewhere on the page: what a conversation is called, and what to ask next. */
const ELSEWHERE: ReadonlySet<string> = new Set(["title", "tags", "follow-ups"]);

/** The open slots of a run: its plan as a checklist, anything else as data. */
export const RunData = memo(() => {
  const { state } = useRunContext();
  const { data, outcome } = useRun(state);
  return [...data].map(([key, value]) => {
    const [name = key] = key.split(" ");
    if (ELSEWHERE.has(name) || value === undefined) return null;
    const todos = name === "todos" ? todosOf(value) : undefined;
    return todos ? (
      <Todos key={key} todos={todos} isOver={outcome !== undefined} />
    ) : (
      <Slot key={key} name={key} value={value} />
    );
  });
});

const Todos = ({ todos, isOver }: { readonly todos: readonly Todo[]; readonly isOver: boolean }) => {
  const [open, setOpen] = useState(true);
  const done = todos.filter((todo) => todo.status === "done").length;
  if (todos.length === 0) return null;
  return (
    <div role="group" aria-label="Plan" data-todos className="rounded-lg border border-line bg-card text-sm">
      <Fold
        open={open}
        onToggle={setOpen}
        line={
          <span className="flex-1 font-medium">
            Plan{" "}
            <span className="font-normal text-soft">
              {done} of {todos.length} done
            </span>
          </span>
        }
      >
        <ul className="flex flex-col gap-1 border-t border-line px-3 py-2">
          {todos.map((todo) => {
            const { Icon, color, word, style } = todo.status === "active" && isOver ? LEFT : STATUSES[todo.status];
            return (
              <li key={todo.id} data-status={todo.status} className="flex items-start gap-2">
                <span className={`mt-0.5 ${color}`}>
                  <Icon />
                </span>
                <span className={`[overflow-wrap:anywhere] ${style}`}>{visibleText(todo.text)}</span>
                <span className="sr-only">{word}</span>
              </li>
            );
          })}
        </ul>
      </Fold>
    </div>
  );
};

const STATUSES = {
  pending: { Icon: IconClock, color: "text-soft", word: "to do", style: "" },
  active: { Icon: IconSpinner, color: "text-executing", word: "in work", style: "font-medium" },
  done: { Icon: IconCheck, color: "text-ok", word: "done", style: "text-soft" },
  cancelled: { Icon: IconDenied, color: "text-soft", word: "given up", style: "text-soft line-through" },
} as const;

/** Nobody works on it any more. */
const LEFT = { Icon: IconClock, color: "text-pending", word: "begun, not finished", style: "" } as const;

const Slot = ({ name, value }: { readonly name: string; readonly value: Json }) => {
  const [open, setOpen] = useState(false);
  return (
    <div role="group" aria-label={`Data ${name}`} className="rounded-lg border border-line bg-card text-sm">
      <Fold open={open} onToggle={setOpen} line={<span className="flex-1 truncate font-mono text-xs">{name}</span>}>
        <div className="border-t border-line px-3 py-2">{open && <ValueView value={structuredClone(value)} />}</div>
      </Fold>
    </div>
  );
};
