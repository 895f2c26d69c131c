import { type KeyboardEvent, useMemo, useRef } from "react";
import type { Entry } from "runcast/events";
import { SPEEDS } from "runcast/replay";
import { WindowingContext, useWindowing } from "../kit/windowing.ts";
import { useStickToEnd } from "../kit/stick-to-end.ts";
import { MessageBubble } from "../run/message-bubble.tsx";
import type { RunActions } from "../run/actions.ts";
import { RunView } from "../run/run-view.tsx";
import { ReplayControls } from "./replay-controls.tsx";
import { useReplay } from "./use-replay.ts";

export interface ReplayViewProps {
  readonly entries: readonly Entry[];
  readonly actions: RunActions;
}

/** A run after any of its events, step by step or with its original timing. */
export const ReplayView = ({ entries, actions }: ReplayViewProps) => {
  const replay = useReplay(entries);
  const { state, seq } = replay;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  useStickToEnd(scroller, content);
  const windowing = useWindowing(scroller);
  const readOnly = useMemo((): RunActions => {
    const { file, link, drafts } = actions;
    return { drafts, ...(file && { file }), ...(link && { link }) };
  }, [actions]);
  const press = (event: KeyboardEvent): void => {
    const { key, shiftKey, ctrlKey, metaKey, altKey, target } = event;
    if (ctrlKey || metaKey || altKey) return;
    const element = target as HTMLElement;
    if (element.matches("select, textarea, input:not([type=range])")) return;
    // Leave a button's own keys alone.
    if (key === " " && element.closest("button, a, summary")) return;
    const does = KEYS[key];
    if (!does) return;
    event.preventDefault();
    does(replay, shiftKey);
  };
  return (
    <div className="flex min-h-0 grow flex-col" onKeyDown={press}>
      <div
        ref={scroller}
        className="relative min-h-0 grow overflow-y-auto bg-page"
        tabIndex={0}
        role="region"
        aria-label="Run at this event"
      >
        <div ref={content} className="mx-auto flex max-w-3xl flex-col gap-6 px-4 py-6">
          {state.message && (
            <div className="flex justify-end">
              <MessageBubble content={state.message.content} />
            </div>
          )}
          {seq === 0 ? (
            <p className="py-10 text-center text-sm text-soft">
              Before the first event. Press play, or move the slider.
            </p>
          ) : (
            <WindowingContext value={windowing}>
              <RunView
                state={state}
                actions={readOnly}
                liveUntil={replay.isPlaying ? Infinity : 0}
                moment={entries[seq - 1]?.at}
              />
            </WindowingContext>
          )}
        </div>
      </div>
      <ReplayControls replay={replay} entry={entries[seq - 1]} />
    </div>
  );
};

const KEYS: Readonly<Record<string, (replay: ReturnType<typeof useReplay>, isFar: boolean) => void>> = {
  " ": (replay) => (replay.isPlaying ? replay.pause() : replay.play()),
  ArrowLeft: (replay, isFar) => replay.seek(replay.seq - (isFar ? 10 : 1)),
  ArrowRight: (replay, isFar) => replay.seek(replay.seq + (isFar ? 10 : 1)),
  Home: (replay) => replay.seek(0),
  End: (replay) => replay.seek(replay.length),
  "+": (replay) => replay.setSpeed(SPEEDS.find((speed) => speed > replay.speed) ?? replay.speed),
  "-": (replay) => replay.setSpeed(SPEEDS.findLast((speed) => speed < replay.speed) ?? replay.speed),
};
