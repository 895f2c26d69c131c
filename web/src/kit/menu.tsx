import { type KeyboardEvent, type ReactNode, type ToggleEvent, useEffect, useId, useRef, useState } from "react";

export interface MenuItem {
  readonly label: string;
  readonly icon: ReactNode;
  readonly run: () => void;
  /** Whether it destroys something. */
  readonly isBad?: boolean;
}

export interface MenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** The content of the button. */
  readonly children: ReactNode;
  readonly className: string;
}

/** The height of an item, to decide on which side of the button the menu has room. */
const ITEM_PX = 36;
const GAP_PX = 4;

/**
 * A button with a menu. The browser shows the menu above everything else, closes it on Escape and on a click elsewhere,
 * and restores the focus.
 */
export const Menu = ({ label, items, children, className }: MenuProps) => {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const close = () => popup.current?.hidePopover();
  // The menu does not move with its button.
  useEffect(() => {
    if (!isOpen) return;
    addEventListener("scroll", close, { capture: true });
    addEventListener("resize", close);
    return () => {
      removeEventListener("scroll", close, { capture: true });
      removeEventListener("resize", close);
    };
  }, [isOpen]);

  const prepare = ({ newState }: ToggleEvent): void => {
    if (newState !== "open") return;
    setOpen(true);
    Object.assign(popup.current!.style, placeFor(button.current!, items.length));
  };
  const settle = ({ newState }: ToggleEvent): void => {
    if (newState === "open") itemsIn(popup.current!)[0]?.focus();
    // Not earlier: the browser restores the focus only if it was on an item.
    else setOpen(false);
  };
  const pressButton = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    popup.current?.showPopover();
  };
  const press = (event: KeyboardEvent): void => {
    // The page's own keys are off while a menu is open. Escape is the browser's.
    event.stopPropagation();
    if (event.key === "Tab") return close();
    const all = itemsIn(popup.current!);
    const next = targetOf(event.key, all, all.indexOf(document.activeElement as HTMLElement));
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        popoverTarget={id}
        onKeyDown={pressButton}
        className={className}
      >
        {children}
      </button>
      <div
        ref={popup}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        onBeforeToggle={prepare}
        onToggle={settle}
        onKeyDown={press}
        className="fixed inset-auto m-0 min-w-40 rounded-lg border border-line bg-card p-1 text-sm text-ink shadow-lg"
      >
        {isOpen &&
          items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onPointerEnter={({ currentTarget }) => currentTarget.focus()}
              onClick={() => {
                // First, so the focus is back on the button when the item moves it.
                close();
                item.run();
              }}
              className={`flex w-full cursor-default items-center gap-2 rounded-md px-2 py-1.5 text-left outline-none focus:bg-tint ${item.isBad ? "text-bad" : ""}`}
            >
              {item.icon} {item.label}
            </button>
          ))}
      </div>
    </>
  );
};

/** Below the button, or above it if there is no room, with their right edges aligned. */
const placeFor = (button: HTMLElement, count: number): Partial<CSSStyleDeclaration> => {
  const { top, bottom, right } = button.getBoundingClientRect();
  const isBelow = bottom + GAP_PX + (count + 1) * ITEM_PX <= innerHeight;
  return {
    top: isBelow ? `${bottom + GAP_PX}px` : "auto",
    bottom: isBelow ? "auto" : `${innerHeight - top + GAP_PX}px`,
    right: `${Math.max(GAP_PX, document.documentElement.clientWidth - right)}px`,
    left: "auto",
  };
};

const itemsIn = (popup: HTMLElement): HTMLElement[] => [...popup.querySelectorAll<HTMLElement>("[role=menuitem]")];

/** The item that a key moves to: arrows wrap around, a letter goes to the next item that starts with it. */
const targetOf = (key: string, all: readonly HTMLElement[], at: number): HTMLElement | undefined => {
  if (key === "ArrowDown") return all[(at + 1) % all.length];
  if (key === "ArrowUp") return all.at(Math.max(at, 0) - 1);
  if (key === "Home") return all[0];
  if (key === "End") return all.at(-1);
  if (key.length !== 1 || key === " ") return undefined;
  const after = [...all.slice(at + 1), ...all.slice(0, at + 1)];
  return after.find(({ textContent }) => textContent.trim().toLowerCase().startsWith(key.toLowerCase()));
};
