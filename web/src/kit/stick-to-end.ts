import { type RefObject, useEffect, useMemo, useRef } from "react";
import { type Cell, createCell } from "./cell.ts";
import { afterShowing } from "./show.ts";

export interface StickToEnd {
  /**
   * Whether new content is scrolled into view: until the user scrolls away from the end, and again once they return.
   */
  readonly isAtEnd: Cell<boolean>;
  toEnd(): void;
}

/** Distances up to this count as at the end. */
const NEAR = 24;
/** How long after a key press or touch a scroll is attributed to the user. */
const HAND_MS = 1000;
const HANDS = ["keydown", "pointerdown", "pointermove", "touchmove"];

/** Keeps the end of `content` in view while it grows, but never moves a user who has scrolled away. */
export const useStickToEnd = (
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): StickToEnd => {
  const isAtEnd = useMemo(() => createCell(true), []);
  /** When the user last did something that can cause a scroll. */
  const touched = useRef(-Infinity);
  const toEnd = (): void => {
    const { current } = scroller;
    if (!current) return;
    isAtEnd.set(true);
    // The messages at the end change their heights when they are drawn. The scrolls that this causes are not the user's.
    touched.current = -Infinity;
    current.scrollTop = current.scrollHeight;
  };

  useEffect(() => {
    const box = scroller.current;
    const inner = content.current;
    if (!box || !inner) return;
    let top = box.scrollTop;
    const onScroll = (): void => {
      const left = box.scrollHeight - box.scrollTop - box.clientHeight;
      // Shrinking content also moves the top. Only a scroll that follows user input counts as the user's.
      const isReader = performance.now() - touched.current < HAND_MS;
      if (box.scrollTop < top && left > 4 && isReader) isAtEnd.set(false);
      else if (box.scrollTop > top && left <= NEAR) isAtEnd.set(true);
      top = box.scrollTop;
    };
    const onHand = (event: Event): void => {
      if (moves(event)) touched.current = performance.now();
    };
    const leaveEnd = (): void => {
      if (box.scrollHeight > box.clientHeight) isAtEnd.set(false);
    };
    const onWheel = ({ deltaY }: WheelEvent): void => {
      touched.current = performance.now();
      if (deltaY < 0) leaveEnd();
    };
    const onKey = (event: KeyboardEvent): void => {
      if (isModified(event) || !(event.target instanceof Element)) return;
      if (isField(event.target) || event.target.closest('[tabindex="0"]') !== box) return;
      // A busy browser scrolls long after the key was pressed.
      if (KEYS_UP.has(event.key)) leaveEnd();
      if (event.key !== "Home" && event.key !== "End") return;
      // The browser would scroll to where the start or the end is before the messages there are drawn.
      event.preventDefault();
      if (event.key === "End") toEnd();
      else box.scrollTop = 0;
    };
    const follow = (): void => {
      if (!isAtEnd.get() || isSelecting(box) || isWriting(box)) return;
      box.scrollTop = box.scrollHeight;
      top = box.scrollTop;
    };
    // If it has moved, the browser is about to report a scroll that may be the user's.
    const followShown = (): void => {
      if (isAtEnd.get() && box.scrollTop === top) follow();
    };
    const observer = new ResizeObserver(follow);
    observer.observe(inner);
    observer.observe(box);
    const unfollow = afterShowing(followShown);
    box.addEventListener("scroll", onScroll, { passive: true });
    box.addEventListener("wheel", onWheel, { passive: true });
    box.addEventListener("keydown", onKey);
    for (const name of HANDS) addEventListener(name, onHand, { passive: true, capture: true });
    return () => {
      observer.disconnect();
      unfollow();
      for (const name of HANDS) removeEventListener(name, onHand, { capture: true });
      box.removeEventListener("scroll", onScroll);
      box.removeEventListener("wheel", onWheel);
      box.removeEventListener("keydown", onKey);
    };
  }, [scroller, content, isAtEnd]);
  return { isAtEnd, toEnd };
};

const KEYS_UP = new Set(["ArrowUp", "PageUp", "Home"]);
const KEYS = new Set([...KEYS_UP, " ", "j", "k", "a", "f"]);

/** Whether the event can cause a scroll. Excludes typing a message and pointer moves without a pressed button. */
const moves = (event: Event): boolean => {
  if (event instanceof KeyboardEvent)
    return KEYS.has(event.key) && !(event.target instanceof Element && isField(event.target));
  return !(event instanceof PointerEvent) || event.buttons > 0;
};

const isSelecting = (box: HTMLElement): boolean => {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && box.contains(selection.anchorNode);
};

/** Whether the user is filling in a field, which must not move away under them. */
const isWriting = (box: HTMLElement): boolean => {
  const { activeElement } = document;
  return activeElement !== null && isField(activeElement) && box.contains(activeElement);
};

const isField = (element: Element): boolean => element.matches("input, textarea, select");

const isModified = ({ altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean =>
  altKey || ctrlKey || metaKey || shiftKey;
