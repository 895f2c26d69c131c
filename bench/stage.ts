import { MARK, microseconds, STAMP_DIGITS } from "./workload.ts";
import type { Plan, RunScript } from "./workload.ts";

/**
 * The clock that drives every run of a server under test. A burst gives each live run `perTick` events per turn of the
 * event loop. A paced plan distributes events across the runs from one timer.
 */
export interface Stage {
  readonly plan: Plan;
  /** The plan's run in some protocol, created once per plan. */
  script<Item>(make: (plan: Plan) => RunScript<Item>): RunScript<Item>;
  /** For push servers: `send` gets the opening immediately and each event when it is due, then `end` is called. */
  push<Item extends object>(run: RunScript<Item>, send: (item: Item) => void, end: () => void): void;
  /** For pull servers: the same run as an iterable. A burst waits for a slow reader, a paced run queues. */
  pull<Item extends object>(run: RunScript<Item>, signal?: AbortSignal): AsyncGenerator<Item>;
  begin(plan: Plan): void;
  go(): void;
}

export const createStage = (): Stage => {
  let plan: Plan = {
    mode: "idle",
    streams: 0,
    tokens: 0,
    tools: 0,
    perTick: 1,
    rate: 1,
    shared: false,
    padding: 0,
  };
  let scripts = new Map<unknown, RunScript<unknown>>();
  /** Each emits one event and returns whether more will follow. */
  let runs: (() => boolean)[] = [];
  let waiting: (() => void)[] = [];
  let going = false;
  let scheduled = false;

  const schedule = () => {
    if (!going || scheduled || plan.mode !== "burst") return;
    scheduled = true;
    setImmediate(tick);
  };
  const tick = () => {
    scheduled = false;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
    let ended = false;
    for (let index = 0; index < runs.length; index++) {
      const run = runs[index]!;
      for (let given = 0; given < plan.perTick; given++) {
        if (run()) continue;
        runs[index] = over;
        ended = true;
        break;
      }
    }
    if (ended) runs = runs.filter((run) => run !== over);
    if (runs.length > 0 || waiting.length > 0) schedule();
  };

  const pace = () => {
    const startedAt = performance.now();
    const live = [...runs];
    const total = live.length * plan.tokens;
    let given = 0;
    const timer = setInterval(() => {
      const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1e3) * plan.rate * live.length));
      for (; given < due; given++) live[given % live.length]!();
      if (given === total) {
        // Events after the last token close the run and have no due time.
        for (const run of live) while (run());
        clearInterval(timer);
      }
    }, 1);
  };

  const stamped = <Item extends object>(item: Item): Item =>
    plan.mode === "paced" && "delta" in item
      ? { ...item, delta: MARK + String(microseconds()).padStart(STAMP_DIGITS, "0") }
      : item;

  const push = <Item extends object>(run: RunScript<Item>, send: (item: Item) => void, end: () => void) => {
    for (const item of run.opening) send(item);
    if (plan.mode === "idle") return;
    let next = 0;
    runs.push(() => {
      send(stamped(run.events[next++]!));
      if (next < run.events.length) return true;
      end();
      return false;
    });
    schedule();
  };

  async function* pull<Item extends object>(run: RunScript<Item>, signal?: AbortSignal): AsyncGenerator<Item> {
    if (plan.mode === "burst") {
      const { perTick } = plan;
      yield* run.opening;
      for (let next = 0; next < run.events.length;) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          schedule();
        });
        for (let given = 0; given < perTick && next < run.events.length; given++) yield run.events[next++]!;
      }
      return;
    }
    const queue: Item[] = [];
    let wake = () => {};
    let ended = false;
    signal?.addEventListener("abort", () => {
      ended = true;
      wake();
    });
    push(
      run,
      (item) => {
        queue.push(item);
        wake();
      },
      () => {
        ended = true;
        wake();
      },
    );
    while (true) {
      for (const item of queue.splice(0)) yield item;
      if (queue.length > 0) continue;
      if (ended) return;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  return {
    get plan() {
      return plan;
    },
    script: <Item>(make: (plan: Plan) => RunScript<Item>) => {
      const known = scripts.get(make) ?? make(plan);
      scripts.set(make, known);
      return known as RunScript<Item>;
    },
    push,
    pull,
    begin: (next) => {
      plan = next;
      scripts = new Map();
      runs = [];
      waiting = [];
      going = false;
    },
    go: () => {
      going = true;
      if (plan.mode === "paced") pace();
      else schedule();
    },
  };
};

const over = () => false;
