import { type RefObject, useEffect, useMemo } from "react";
import { type Cell, createCell } from "./cell.ts";

export interface StickToEnd {
  /** Whether what is new is scrolled into view: until the reader moves away from the end, and again once they are back. */
  readonly isAtEnd: Cell<boolean>;
  toEnd(): void;
}

/** So near the end counts as there. */
const NEAR = 24;
/** So long after a key or a touch, what scrolls is taken for the reader's doing. */
const HAND_MS = 1000;
const HANDS = ["keydown", "pointerdown", "pointermove", "touchmove"];

/** Keeps the end of `content` in view while it grows, and never moves a reader who has moved away from it. */
export const useStickToEnd = (
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): StickToEnd => {
  const isAtEnd = useMemo(() => createCell(true), []);
  const toEnd = (): void => {
    const { current } = scroller;
    if (!current) return;
    isAtEnd.set(true);
    current.scrollTop = current.scrollHeight;
  };

  useEffect(() => {
    const box = scroller.current;
    const inner = content.current;
    if (!box || !inner) return;
    let top = box.scrollTop;
    let touched = -Infinity;
    const onScroll = (): void => {
      const left = box.scrollHeight - box.scrollTop - box.clientHeight;
      // Content that shrinks moves the top as well: only what follows a hand is a reader's move.
      const isReader = performance.now() - touched < HAND_MS;
      if (box.scrollTop < top && left > 4 && isReader) isAtEnd.set(false);
      else if (box.scrollTop > top && left <= NEAR) isAtEnd.set(true);
      top = box.scrollTop;
    };
    const onHand = (event: Event): void => {
      if (moves(event)) touched = performance.now();
    };
    const onWheel = ({ deltaY }: WheelEvent): void => {
      touched = performance.now();
      if (deltaY < 0 && box.scrollHeight > box.clientHeight) isAtEnd.set(false);
    };
    const follow = (): void => {
      if (isAtEnd.get() && !isSelecting(box)) box.scrollTop = box.scrollHeight;
    };
    const observer = new ResizeObserver(follow);
    observer.observe(inner);
    observer.observe(box);
    box.addEventListener("scroll", onScroll, { passive: true });
    box.addEventListener("wheel", onWheel, { passive: true });
    for (const name of HANDS) addEventListener(name, onHand, { passive: true, capture: true });
    return () => {
      observer.disconnect();
      for (const name of HANDS) removeEventListener(name, onHand, { capture: true });
      box.removeEventListener("scroll", onScroll);
      box.removeEventListener("wheel", onWheel);
    };
  }, [scroller, content, isAtEnd]);
  return { isAtEnd, toEnd };
};

const KEYS = new Set(["ArrowUp", "PageUp", "Home", " ", "j", "k"]);

/** Whether it may be what scrolls: not the writing of a message, nor a pointer that only passes. */
const moves = (event: Event): boolean => {
  if (event instanceof KeyboardEvent)
    return KEYS.has(event.key) && !(event.target instanceof Element && event.target.matches("input, textarea, select"));
  return !(event instanceof PointerEvent) || event.buttons > 0;
};

const isSelecting = (box: HTMLElement): boolean => {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && box.contains(selection.anchorNode);
};
