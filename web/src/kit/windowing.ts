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

interface Member {
  readonly listener: (isInWindow: boolean) => void;
  unwatch: () => void;
}

/** Watches the elements in a box only while the box is in the window, because the browser checks each in every frame. */
const createBoxWindowing = (windowing: Windowing, box: Element): Windowing & { close(): void } => {
  const members = new Map<Element, Member>();
  let isInWindow = false;
  const enter = (element: Element, member: Member): void => {
    member.unwatch = windowing.watch(element, member.listener);
  };
  const unwatch = windowing.watch(box, (next) => {
    isInWindow = next;
    for (const [element, member] of members) {
      member.unwatch();
      if (next) enter(element, member);
      else member.listener(false);
    }
  });
  return {
    watch: (element, listener) => {
      const member: Member = { listener, unwatch: () => {} };
      members.set(element, member);
      if (isInWindow) enter(element, member);
      return () => {
        members.delete(element);
        member.unwatch();
      };
    },
    close: unwatch,
  };
};

/** The windowing of a box of elements within a scroller. */
export const useBoxWindowing = (box: RefObject<Element | null>): Windowing | undefined => {
  const windowing = useContext(WindowingContext);
  const [made, setMade] = useState<Windowing>();
  useEffect(() => {
    if (!box.current || !windowing) return;
    const boxed = createBoxWindowing(windowing, box.current);
    setMade(boxed);
    return () => boxed.close();
  }, [box, windowing]);
  return made;
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
