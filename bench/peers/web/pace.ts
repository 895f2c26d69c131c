/** How often this page shows new text, in milliseconds, from its URL. 0: as often as the library does by default. */
export const everyMs = Number(new URLSearchParams(location.search).get("every"));

/** Calls `show` once, at the next frame or at the first frame after `everyMs`. */
export const later = (show: () => void): number =>
  everyMs > 0 ? window.setTimeout(() => requestAnimationFrame(show), everyMs) : requestAnimationFrame(show);
