import { type RefObject, useEffect, useRef } from "react";
import { usePage } from "../session/page-context.ts";

export interface KeyCommand {
  /** As in `KeyboardEvent.key`. */
  readonly key: string;
  readonly does: string;
  /** Also active in the message field, and when single-key commands are off. */
  readonly always?: boolean;
  /** Returns false if there was nothing to do. */
  readonly run: () => boolean | void;
}

/**
 * Handles the page's keys. Single-key commands work only outside of text fields and can be turned off. Escape in a
 * field only leaves the field, except in `composer`, which has no other use for it.
 */
export const useKeys = (commands: readonly KeyCommand[], composer?: RefObject<HTMLElement | null>): void => {
  const { settings, dialog } = usePage();
  const latest = useRef(commands);
  latest.current = commands;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, target, isComposing, ctrlKey, metaKey, altKey } = event;
      if (event.defaultPrevented || isComposing || ctrlKey || metaKey || altKey || dialog.get()) return;
      if (document.querySelector("dialog[open]")) return;
      const field = target instanceof HTMLElement && target.matches(FIELDS) ? target : undefined;
      if (key === "Escape" && field && field !== composer?.current) return field.blur();
      const command = latest.current.find((candidate) => candidate.key === key);
      if (!command || (!command.always && (field || !settings.get().keys))) return;
      if (command.run() !== false) event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [settings, dialog, composer]);
};

const FIELDS = "input, textarea, select, [contenteditable]";

/** Moves the focus to the next or previous visible step. */
export const moveStep = (root: HTMLElement | null, direction: 1 | -1): boolean => {
  if (!root) return false;
  const steps = [...root.querySelectorAll<HTMLElement>("[data-node], [data-message]")].filter(
    (step) => step.getClientRects().length > 0,
  );
  if (steps.length === 0) return false;
  const active = document.activeElement?.closest<HTMLElement>("[data-node], [data-message]");
  const at = active ? steps.indexOf(active) : -1;
  const next = at < 0 ? (direction > 0 ? firstInView(steps, root) : steps.length - 1) : at + direction;
  const step = steps[next];
  if (!step) return false;
  if (!step.hasAttribute("tabindex")) step.tabIndex = -1;
  step.focus({ preventScroll: true });
  step.scrollIntoView({ block: "nearest" });
  return true;
};

const firstInView = (steps: readonly HTMLElement[], root: HTMLElement): number => {
  const { top } = root.getBoundingClientRect();
  const found = steps.findIndex((step) => step.getBoundingClientRect().top >= top);
  return found < 0 ? steps.length - 1 : found;
};
