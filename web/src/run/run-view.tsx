import { memo, useEffect, useMemo, useRef } from "react";
import type { RunState } from "runcast/state";
import type { RunActions } from "./actions.ts";
import { Items } from "./items.tsx";
import { type Jump, jumpTo } from "./jump.ts";
import { LiveUntil, Moment, RunContext, type RunContextValue } from "./run-context.ts";
import { RunData } from "./run-data.tsx";
import { RunEnd } from "./run-end.tsx";
import "./run.css";

export interface RunViewProps {
  readonly state: RunState;
  readonly actions: RunActions;
  /** Leaves out the agent's own words, for whoever shows them elsewhere. Default: false. */
  readonly isWorkOnly?: boolean;
  /** Opens what hides a node, brings it into view and focuses it, each time another object is given. */
  readonly jump?: Jump | undefined;
  /** Until when what is shown is known to be the present: `Infinity`, the default, while it is. Nothing turns when it is not. */
  readonly liveUntil?: number;
  /** The moment of a replay, for what was going on then. Default: now. */
  readonly moment?: number | undefined;
}

/** One run: what its agents thought, said and did, in the order it began. */
export const RunView = memo(
  ({ state, actions, isWorkOnly = false, jump, liveUntil = Infinity, moment }: RunViewProps) => {
    const section = useRef<HTMLElement>(null);
    const context = useMemo<RunContextValue>(
      () => ({ state, actions, isWorkOnly, Items, openers: new Map() }),
      [state, actions, isWorkOnly],
    );
    useEffect(() => {
      if (jump && section.current) return jumpTo(jump, context, section.current);
    }, [jump, context]);
    return (
      <RunContext value={context}>
        <LiveUntil value={liveUntil}>
          <Moment value={moment}>
            <section
              ref={section}
              data-run
              data-live={liveUntil === Infinity}
              className="group/run flex min-w-0 flex-col gap-3"
            >
              <Items owner={state.root} />
              <RunData />
              <RunEnd />
            </section>
          </Moment>
        </LiveUntil>
      </RunContext>
    );
  },
);
