/** Calls `wake` whenever the network or the page may be back. Returns a function that unsubscribes. */
export type Wakes = (wake: () => void) => () => void;

const NAMES = ["online", "pageshow", "visibilitychange", "resume"];

/** Uses the browser's events. Without them, only the backoff timer applies. */
export const browserWakes: Wakes = (wake) => {
  if (typeof globalThis.addEventListener !== "function") return () => {};
  // Captured, because some of these are fired at the document and do not bubble.
  for (const name of NAMES) globalThis.addEventListener(name, wake, { capture: true });
  return () => {
    for (const name of NAMES) globalThis.removeEventListener(name, wake, { capture: true });
  };
};
