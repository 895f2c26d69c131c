/** Calls `wake` whenever the network or the page may be back. Returns what ends that. */
export type Wakes = (wake: () => void) => () => void;

const NAMES = ["online", "pageshow", "visibilitychange", "resume"];

/** What a browser tells. Elsewhere there is nobody to tell it, and time alone decides. */
export const browserWakes: Wakes = (wake) => {
  if (typeof globalThis.addEventListener !== "function") return () => {};
  // Captured: some of these are fired at the document and do not bubble.
  for (const name of NAMES) globalThis.addEventListener(name, wake, { capture: true });
  return () => {
    for (const name of NAMES) globalThis.removeEventListener(name, wake, { capture: true });
  };
};
