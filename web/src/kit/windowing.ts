import { createContext, type RefObject, useContext, useEffect, useRef, useState } from "react";

/** Says of an element whether it is in the window that is drawn: what is seen of the scroller, and a margin around it. */
export interface Windowing {
  watch(element: Element, listener: (isInWindow: boolean) => void): () => void;
}

export const WindowingContext = createContext<Windowing | undefined>(undefined);

/** One observer for all elements; the margin above and below what is seen. */
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

/** The windowing of what a scroller holds; undefined until there is a scroller. */
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
 * Whether the element is in the window, and its height when it last was: its placeholder has that height. An element that a fold
 * hides keeps its place in the window, and so does one for which `stays` is true.
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
