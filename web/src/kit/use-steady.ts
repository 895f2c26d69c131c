import { type RefObject, useEffect, useRef, useState } from "react";

const STEADY_MS = 500;
const SAMPLE_MS = 100;

export interface Steady {
  /** Whether it has not moved for a moment. */
  readonly isSteady: boolean;
  /** Whether it is still where it was at the last sample. Check this on a click. */
  readonly isInPlace: () => boolean;
}

/**
 * Whether an element has not moved for a moment, so a click on it is intended. A framed page chooses its own
 * height, and could move a button under a pointer that is about to click something else.
 */
export const useSteady = (element: RefObject<HTMLElement | null>): Steady => {
  const [isSteady, setSteady] = useState(false);
  const place = useRef("");
  useEffect(() => {
    let movedAt = performance.now();
    place.current = placeOf(element.current);
    const timer = setInterval(() => {
      const now = placeOf(element.current);
      if (now !== place.current) movedAt = performance.now();
      place.current = now;
      setSteady(performance.now() - movedAt >= STEADY_MS);
    }, SAMPLE_MS);
    return () => clearInterval(timer);
  }, [element]);
  return { isSteady, isInPlace: () => placeOf(element.current) === place.current };
};

const placeOf = (element: HTMLElement | null): string => {
  const { left = 0, top = 0 } = element?.getBoundingClientRect() ?? {};
  return `${Math.round(left)} ${Math.round(top)}`;
};
