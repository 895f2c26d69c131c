import { type Control, controlText, MAX_CONTROLS, type QueuedControl } from "../../log.ts";
import type { Database } from "./database.ts";

/** The controls of open runs, by the run's number. */
export const openControls = ({ sql }: Database) => {
  const has = sql.prepare("SELECT 1 FROM controls WHERE run = ? AND id = ?");
  const last = sql.prepare("SELECT coalesce(max(number), 0) AS number FROM controls WHERE run = ?");
  const insert = sql.prepare("INSERT INTO controls (run, number, id, body) VALUES (?, ?, ?, ?)");
  const select = sql.prepare("SELECT number, body FROM controls WHERE run = ? AND number > ? ORDER BY number LIMIT ?");
  const remove = sql.prepare("DELETE FROM controls WHERE run = ?");

  return {
    /** Queues a control, unless its id is known or the queue is full. */
    send(run: number, control: Control): "queued" | "known" | "full" {
      const body = controlText(control);
      if (has.get(run, control.id)) return "known";
      const number = Number(last.get(run)!.number) + 1;
      if (number > MAX_CONTROLS) return "full";
      insert.run(run, number, control.id, body);
      return "queued";
    },
    read: (run: number, after: number, limit: number): QueuedControl[] =>
      select
        .all(run, after, limit)
        .map(({ number, body }) => ({ number: Number(number), control: JSON.parse(body as string) })),
    remove: (run: number): void => void remove.run(run),
  };
};

export type Controls = ReturnType<typeof openControls>;
