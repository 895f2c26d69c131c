import { createContext, type RefObject, useContext, useEffect, useRef, useState } from "react";

/** Reports whether an element is in the rendered window: the visible part of the scroller plus a margin. */
export interface Windowing {
  watch(element: Element, listener: (isInWindow: boolean) => void): () => void;
}

export const WindowingContext = createContext<Windowing | undefined>(undefined);

/** The margin above and below the visible part. One observer serves all elements. */
const MARGIN = "1500px 0px";

const createWindowing = (scroller: Element): Windowing & { close(): void } => {
  const listeners = new Map<Element, (isInWindow: boolean) => void>();
  const observer = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes) listeners.get(target)?.(isIntersecting);
    },
    { root: scroller, rootMargin: MARGIN },
  );
  return {
    watch: (element, listener) => {
      listeners.set(element, listener);
      observer.observe(element);
      return () => {
        listeners.delete(element);
        observer.unobserve(element);
      };
    },
    close: () => observer.disconnect(),
  };
};

/** The windowing of a scroller's content. Undefined until the scroller is mounted. */
export const useWindowing = (scroller: RefObject<Element | null>): Windowing | undefined => {
  const [windowing, setWindowing] = useState<Windowing>();
  useEffect(() => {
    if (!scroller.current) return;
    const made = createWindowing(scroller.current);
    setWindowing(made);
    return () => made.close();
  }, [scroller]);
  return windowing;
};

/**
 * Whether the element is in the window, and its last height there, which its placeholder keeps. Elements hidden by a
 * fold stay in the window, as do those for which `stays` returns true.
 */
export const useInWindow = (
  element: RefObject<HTMLElement | null>,
  isInWindowAtFirst: boolean,
  stays: (element: HTMLElement) => boolean = never,
): { readonly isInWindow: boolean; readonly height: number | undefined } => {
  const windowing = useContext(WindowingContext);
  const [isInWindow, setInWindow] = useState(isInWindowAtFirst);
  const height = useRef<number>(undefined);
  useEffect(() => {
    const { current } = element;
    if (!current || !windowing) return;
    return windowing.watch(current, (next) => {
      if (!next) {
        if (current.getClientRects().length === 0 || stays(current)) return;
        height.current = current.offsetHeight;
      }
      setInWindow(next);
    });
  }, [element, windowing, stays]);
  return { isInWindow, height: height.current };
};

const never = (): boolean => false;
