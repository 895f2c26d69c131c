import { type RefObject, useMemo } from "react";
import type { Board } from "./board.ts";

/** Holds the rows while the pointer or the focus is in the list, or the list is scrolled. */
export const useHold = (board: Board, box: RefObject<HTMLElement | null>) =>
  useMemo(() => {
    const reasons = new Set<"pointer" | "focus" | "scroll">();
    const set = (reason: "pointer" | "focus" | "scroll", isOn: boolean): void => {
      if (isOn) reasons.add(reason);
      else reasons.delete(reason);
      board.hold(reasons.size > 0);
    };
    const isInside = (target: EventTarget | null): boolean => target instanceof Node && !!box.current?.contains(target);
    return {
      onPointerEnter: () => set("pointer", true),
      onPointerLeave: () => set("pointer", false),
      onFocus: ({ target }: React.FocusEvent) => set("focus", isInside(target)),
      onBlur: ({ relatedTarget }: React.FocusEvent) => set("focus", isInside(relatedTarget)),
      onScrollCapture: () => set("scroll", (box.current?.scrollTop ?? 0) > 0),
    };
  }, [board, box]);
