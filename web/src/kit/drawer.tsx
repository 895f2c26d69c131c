import { IconButton } from "./button.tsx";
import { IconClose } from "./shell-icons.tsx";
import { type ReactNode, useEffect, useRef } from "react";
import { useMedia } from "./use-media.ts";

export interface DrawerProps {
  readonly side: "left" | "right";
  readonly label: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

const WIDE = "(min-width: 64rem)";

/** Whether there is room for columns. */
export const isWide = (): boolean => matchMedia(WIDE).matches;

export const useIsWide = (): boolean => useMedia(WIDE);

/** A column next to the conversation, or over it if there is no room. */
export const Drawer = ({ side, label, isOpen, onClose, children }: DrawerProps) => {
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isOpen || isWide()) return;
    const before = document.activeElement;
    element.current?.querySelector<HTMLElement>("button, input, a[href]")?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, [isOpen]);
  if (!isOpen) return null;
  const edge = side === "left" ? "left-0 border-r lg:order-first" : "right-0 border-l lg:order-last";
  return (
    <>
      <button
        type="button"
        aria-hidden="true"
        tabIndex={-1}
        onClick={onClose}
        className="fixed inset-0 z-10 bg-scrim lg:hidden"
      />
      <aside
        ref={element}
        aria-label={label}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || isWide()) return;
          event.preventDefault();
          onClose();
        }}
        className={`fixed inset-y-0 z-20 w-[min(22rem,100vw-3rem)] shrink-0 border-line bg-page lg:static lg:z-0 ${side === "left" ? "lg:w-72" : "lg:w-96"} ${edge}`}
      >
        {/* Outside the column, where it takes no space, and before its content, which may load later. */}
        <IconButton
          label={`Close ${label}`}
          onClick={onClose}
          className={`absolute top-2.5 bg-card lg:hidden ${side === "left" ? "left-full ml-1.5" : "right-full mr-1.5"}`}
        >
          <IconClose />
        </IconButton>
        {children}
      </aside>
    </>
  );
};
