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
  /** Omits the agent's own text, for pages that show it elsewhere. Default: false. */
  readonly isWorkOnly?: boolean;
  /** Expands what hides a node, scrolls to it, and focuses it, each time a new object is given. */
  readonly jump?: Jump | undefined;
  /** The time until which the display is known to be current. `Infinity`, the default, while live. Otherwise nothing is animated. */
  readonly liveUntil?: number;
  /** The displayed moment of a replay. Default: now. */
  readonly moment?: number | undefined;
}

/** A run: the thinking, text, and actions of its agents, in start order. */
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
