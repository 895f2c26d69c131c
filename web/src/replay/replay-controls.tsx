import type { ReactNode } from "react";
import { describeReplay, eventText } from "runcast/view";
import type { Entry } from "runcast/events";
import { LONGEST_WAIT_MS, type Replay, SPEEDS } from "runcast/replay";

export interface ReplayControlsProps {
  readonly replay: Replay;
  /** The last entry shown. */
  readonly entry: Entry | undefined;
}

/** Seeks to any event, steps, and plays. */
export const ReplayControls = ({ replay, entry }: ReplayControlsProps) => {
  const { seq, length, isPlaying, speed } = replay;
  const { place, time, wait } = describeReplay(replay, LONGEST_WAIT_MS);
  return (
    <div className="shrink-0 border-t border-line bg-card px-4 py-3">
      <div className="mx-auto flex max-w-3xl flex-col gap-2">
        <input
          type="range"
          min={0}
          max={length}
          value={seq}
          onChange={(event) => replay.seek(Number(event.target.value))}
          aria-label="Event"
          aria-valuetext={`${place}, after ${time}${entry ? `: ${eventText(entry)}` : ""}`}
          className="w-full rounded-sm accent-accent outline-offset-4 focus-visible:outline-2 focus-visible:outline-accent"
        />
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <div role="group" aria-label="Playback" className="flex items-center gap-1">
            <Control label="Go to the start" isOff={seq === 0} onClick={() => replay.seek(0)}>
              <path d="M4 3.5v9M12.5 3.5 6.5 8l6 4.5v-9Z" />
            </Control>
            <Control label="Previous event" isOff={seq === 0} onClick={() => replay.seek(seq - 1)}>
              <path d="M10 3.5 5.5 8l4.5 4.5" />
            </Control>
            <Control label={isPlaying ? "Pause" : "Play"} isMain onClick={isPlaying ? replay.pause : replay.play}>
              {isPlaying ? (
                <path d="M5.5 3.5v9m5-9v9" strokeWidth="2.2" />
              ) : (
                <path d="M5 3v10l8-5-8-5Z" fill="currentColor" />
              )}
            </Control>
            <Control label="Next event" isOff={seq === length} onClick={() => replay.seek(seq + 1)}>
              <path d="M6 3.5 10.5 8 6 12.5" />
            </Control>
            <Control label="Go to the end" isOff={seq === length} onClick={() => replay.seek(length)}>
              <path d="M12 3.5v9M3.5 3.5l6 4.5-6 4.5v-9Z" />
            </Control>
          </div>
          <div role="radiogroup" aria-label="Speed" className="flex rounded-lg border border-line">
            {SPEEDS.map((value) => (
              <label
                key={value}
                className="cursor-pointer px-2 py-1 text-sm text-soft tabular-nums first:rounded-l-lg last:rounded-r-lg has-checked:bg-tint has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent"
              >
                <input
                  type="radio"
                  name="speed"
                  className="sr-only"
                  checked={speed === value}
                  onChange={() => replay.setSpeed(value)}
                />
                {value}×
              </label>
            ))}
          </div>
          <p className="ml-auto text-right text-sm tabular-nums">
            {place}
            <span className="text-soft"> · {time}</span>
          </p>
        </div>
        <p className="flex min-h-5 flex-wrap justify-between gap-x-4 text-xs text-soft">
          <span className="min-w-0 truncate font-mono">{entry ? eventText(entry) : ""}</span>
          {wait && <span>{wait}</span>}
        </p>
      </div>
    </div>
  );
};

const Control = ({
  label,
  onClick,
  isOff = false,
  isMain = false,
  children,
}: {
  readonly label: string;
  readonly onClick: () => void;
  readonly isOff?: boolean;
  readonly isMain?: boolean;
  readonly children: ReactNode;
}) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    // Not `disabled`, which would lose the focus at either end.
    aria-disabled={isOff}
    onClick={() => !isOff && onClick()}
    className={`inline-flex size-9 items-center justify-center rounded-lg aria-disabled:cursor-not-allowed aria-disabled:opacity-50 ${isMain ? "bg-accent text-on-accent hover:opacity-90" : "text-soft hover:bg-tint hover:text-ink"}`}
  >
    <svg
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="size-4"
    >
      {children}
    </svg>
  </button>
);
