import { createContext, type RefObject, useContext, useEffect, useRef, useState } from "react";

/** Tells an element whether it is near what is seen of the scroller. */
export interface Nearness {
  watch(element: Element, listener: (isNear: boolean) => void): () => void;
}

export const NearnessContext = createContext<Nearness | undefined>(undefined);

/** One observer for all: so far above and below the edges counts as near. */
const MARGIN = "1500px 0px";

const createNearness = (scroller: Element): Nearness & { close(): void } => {
  const listeners = new Map<Element, (isNear: boolean) => void>();
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

/** The nearness of what a scroller holds; undefined until there is a scroller. */
export const useNearness = (scroller: RefObject<Element | null>): Nearness | undefined => {
  const [nearness, setNearness] = useState<Nearness>();
  useEffect(() => {
    if (!scroller.current) return;
    const made = createNearness(scroller.current);
    setNearness(made);
    return () => made.close();
  }, [scroller]);
  return nearness;
};

/**
 * Whether the element is near, and how high it was when it last was: what stands in for it meanwhile has that height. What
 * a fold hides is not far, and what `stays` says so of is left as it is.
 */
export const useNear = (
  element: RefObject<HTMLElement | null>,
  isNearAtFirst: boolean,
  stays: (element: HTMLElement) => boolean = never,
): { readonly isNear: boolean; readonly height: number | undefined } => {
  const nearness = useContext(NearnessContext);
  const [isNear, setNear] = useState(isNearAtFirst);
  const height = useRef<number>(undefined);
  useEffect(() => {
    const { current } = element;
    if (!current || !nearness) return;
    return nearness.watch(current, (next) => {
      if (!next) {
        if (current.getClientRects().length === 0 || stays(current)) return;
        height.current = current.offsetHeight;
      }
      setNear(next);
    });
  }, [element, nearness, stays]);
  return { isNear, height: height.current };
};

const never = (): boolean => false;
