import { type RefObject, useEffect, useMemo } from "react";
import { type Cell, createCell } from "./cell.ts";

export interface StickToEnd {
  /** Whether what is new is scrolled into view: until the reader moves away from the end, and again once they are back. */
  readonly isAtEnd: Cell<boolean>;
  toEnd(): void;
}

/** So near the end counts as there. */
const NEAR = 24;

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
    const onScroll = (): void => {
      const left = box.scrollHeight - box.scrollTop - box.clientHeight;
      // What shrinks above also moves the top, but then the end stays in view.
      if (box.scrollTop < top && left > 4) isAtEnd.set(false);
      else if (box.scrollTop > top && left <= NEAR) isAtEnd.set(true);
      top = box.scrollTop;
    };
    const onWheel = ({ deltaY }: WheelEvent): void => {
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
    return () => {
      observer.disconnect();
      box.removeEventListener("scroll", onScroll);
      box.removeEventListener("wheel", onWheel);
    };
  }, [scroller, content, isAtEnd]);
  return { isAtEnd, toEnd };
};

const isSelecting = (box: HTMLElement): boolean => {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && box.contains(selection.anchorNode);
};
