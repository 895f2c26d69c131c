import { useLayoutEffect, useRef } from "react";
import { visibleText } from "runcast/markdown";

/** A formula. Shown as source until KaTeX has loaded, and permanently if it cannot be parsed. */
export const MathView = ({ text, display }: { readonly text: string; readonly display: boolean }) => {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const element = place.current!;
    const source = visibleText(text.trim());
    element.textContent = source;
    element.classList.add("md-source");
    if (text.length > LENGTH) return;
    let stale = false;
    void loadKatex().then(({ render }) => {
      if (stale) return;
      try {
        render(text, element, { ...LIMITS, displayMode: display });
        applyStyles(element);
        element.classList.remove("md-source");
      } catch {
        element.textContent = source;
      }
    });
    return () => {
      stale = true;
    };
  }, [text, display]);
  if (!display) return <span ref={place} dir="ltr" />;
  // Makes a formula that is wider than the page scrollable with the keyboard.
  return <span ref={place} className="md-math" dir="ltr" role="group" aria-label="Formula" tabIndex={0} />;
};

const LENGTH = 4000;
const LIMITS = { trust: false, strict: "ignore", throwOnError: true, maxSize: 20, maxExpand: 300 } as const;

const loadKatex = async () => {
  const [{ default: katex }] = await Promise.all([import("katex"), import("katex/dist/katex.min.css")]);
  return katex;
};

/** KaTeX writes some styles as attributes, which the page's policy forbids. It allows them as properties. */
const applyStyles = (element: HTMLElement): void => {
  for (const styled of element.querySelectorAll<SVGElement>("svg[style]"))
    styled.style.cssText = styled.getAttribute("style")!;
};
