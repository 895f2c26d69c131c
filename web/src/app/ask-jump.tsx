import { memo, type RefObject, useEffect, useState } from "react";
import type { RunState } from "runcast/state";
import { counted, openAsks } from "runcast/view";
import { IconHand } from "../kit/icons.tsx";
import { useOpenAsks } from "../run/use-open-asks.ts";
import type { KeyCommand } from "./keys.ts";

interface AskJumpProps {
  readonly state: RunState;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly onJump: (ask: string) => void;
}

/** A button that goes to the first open ask whose card is out of view. Renders nothing while all are in view. */
export const AskJump = memo(({ state, scroller, onJump }: AskJumpProps) => {
  const hidden = useHidden(
    scroller,
    useOpenAsks(state).map(({ id }) => id),
  );
  const [first] = hidden;
  if (first === undefined) return null;
  return (
    <button
      type="button"
      onClick={() => onJump(first)}
      data-hidden-asks={hidden.length}
      className="inline-flex items-center gap-1.5 rounded-full border border-pending bg-warm px-4 py-2 text-sm text-pending shadow-lg hover:border-accent"
    >
      <IconHand className="size-4" />
      {counted(hidden.length, "question")} waiting
    </button>
  );
});

/** The key that goes to the open ask after the focused one, or to the first. */
export const askCommand = (
  state: RunState | undefined,
  { scroller, onJump }: Omit<AskJumpProps, "state">,
): KeyCommand => ({
  key: "a",
  does: "Go to the next open question",
  run: () => {
    const asks = state ? [...openAsks(state)] : [];
    const at = asks.findIndex(({ id }) => document.activeElement?.closest(cardOf(id)));
    const next = asks[at + 1] ?? asks[0];
    const box = scroller.current;
    if (!next || !box) return false;
    // A jump stops keeping the end in view, so a card that is already in view only gets the focus.
    if (isInView(box, next.id)) box.querySelector<HTMLElement>(cardOf(next.id))?.focus({ preventScroll: true });
    else onJump(next.id);
  },
});

const cardOf = (id: string): string => `[data-node="${CSS.escape(id)}"]`;

/** The asks whose cards are out of view. */
const useHidden = (scroller: RefObject<HTMLElement | null>, asks: readonly string[]): readonly string[] => {
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const open = asks.join("\n");
  useEffect(() => {
    const box = scroller.current;
    if (open === "" || !box) return setHidden([]);
    const look = (): void => {
      const found = open.split("\n").filter((id) => !isInView(box, id));
      setHidden((known) => (known.join("\n") === found.join("\n") ? known : found));
    };
    // Its first call follows the layout, so the page has already scrolled to a new card.
    const observer = new ResizeObserver(look);
    for (const element of [box, ...box.children]) observer.observe(element);
    box.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener("scroll", look);
    };
  }, [scroller, open]);
  return hidden;
};

/** Whether a card can be used where it is: all of it is in view, or as much as fills half of the view. */
const isInView = (box: HTMLElement, id: string): boolean => {
  const card = box.querySelector(cardOf(id))?.getBoundingClientRect();
  if (!card || card.height === 0) return false;
  const view = box.getBoundingClientRect();
  const seen = Math.min(card.bottom, view.bottom) - Math.max(card.top, view.top);
  // Positions are fractions of a pixel.
  return seen >= Math.min(card.height, view.height / 2) - 1;
};
