import { useCallback, useSyncExternalStore } from "react";

/** Whether a media query matches. */
export const useMedia = (query: string): boolean => {
  const watch = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(watch, () => matchMedia(query).matches);
};
