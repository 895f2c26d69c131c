import { useMemo, useRef } from "react";
import { useStickToEnd } from "../kit/stick-to-end.ts";
import { useWindowing } from "../kit/windowing.ts";
import type { Access } from "../session/access.ts";
import { createActionsOf } from "../session/run-actions.ts";
import { useMayAnswer } from "./use-may-answer.ts";

/** What a single-run screen needs: the permitted actions, and a scroller that stays at the end. */
export const useRunScreen = (access: Access, run: string) => {
  const mayAnswer = useMayAnswer(access, run);
  const actions = useMemo(() => createActionsOf({ access, mayAnswer })(run), [access, run, mayAnswer]);
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { isAtEnd } = useStickToEnd(scroller, content);
  return { mayAnswer, actions, scroller, content, isAtEnd, windowing: useWindowing(scroller) };
};
