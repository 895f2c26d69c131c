import { memo, useEffect, useReducer, useRef } from "react";
import { type PartNode, type RunState, subscribe } from "runcast/state";
import { isOver } from "runcast/view";
import { showChanges } from "../kit/show.ts";
import { MarkdownView, useReader } from "./markdown.tsx";

interface LiveMarkdownProps {
  readonly state: RunState;
  readonly part: PartNode;
}

/**
 * The Markdown of a part of a run. Subscribes to the part itself: most tokens only extend the last text, which grows
 * in place without a render.
 */
export const LiveMarkdown = memo(({ state, part }: LiveMarkdownProps) => {
  const [, again] = useReducer((count: number) => count + 1, 0);
  const reader = useReader({ text: part.text, done: isOver(part) });
  const latest = useRef(reader);
  useEffect(() => {
    latest.current = reader;
  });
  useEffect(() => {
    const follow = (): void => {
      const done = isOver(part);
      if (!latest.current.continues(part.text, done) || !latest.current.follow(part.text, done)) again();
    };
    follow();
    return showChanges((onChange) => subscribe(state, part.id, onChange), follow);
  }, [state, part]);
  return <MarkdownView reader={reader} />;
});
