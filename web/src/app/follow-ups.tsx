import { useRun } from "runcast/react";
import type { RunState } from "runcast/state";

/** The agent's suggestions for the next message. */
export const FollowUps = ({ state, onPick }: { readonly state: RunState; readonly onPick: (text: string) => void }) => {
  const proposed = useRun(state).data.get("follow-ups");
  const texts = Array.isArray(proposed) ? proposed.filter((text) => typeof text === "string") : [];
  if (texts.length === 0) return null;
  return (
    <ul aria-label="Suggested follow-ups" className="mb-2 flex flex-wrap gap-2">
      {texts.slice(0, 6).map((text) => (
        <li key={text}>
          <button
            type="button"
            onClick={() => onPick(text)}
            className="rounded-full border border-line bg-card px-3 py-1.5 text-left text-sm hover:border-accent"
          >
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
};
