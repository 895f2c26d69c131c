import { flushSync } from "react-dom";

const waiting = new Set<() => void>();
const followers = new Set<() => void>();
let channel: MessageChannel | undefined;

/**
 * Calls `show` once, in one task with everything else that is about to be shown, and with one render. This task comes
 * before the next frame instead of in it: the browser reports a scroll at the beginning of a frame, so a scroll during
 * a frame would cost a second one.
 */
export const showSoon = (show: () => void): void => {
  if (waiting.size === 0) postTask();
  waiting.add(show);
};

/** Calls `follow` each time something was shown. Returns a function that stops this. */
export const afterShowing = (follow: () => void): (() => void) => {
  followers.add(follow);
  return () => void followers.delete(follow);
};

/** Shows what is waiting. */
export const showWaiting = (): void => {
  const shows = [...waiting];
  waiting.clear();
  if (shows.length === 0) return;
  flushSync(() => {
    for (const show of shows) show();
  });
  for (const follow of followers) follow();
};

/** Calls `show` soon after each change that `subscribe` reports. Returns a function that unsubscribes. */
export const showChanges = (subscribe: (onChange: () => void) => () => void, show: () => void): (() => void) => {
  const showOnce = (): void => show();
  const stop = subscribe(() => showSoon(showOnce));
  return () => {
    stop();
    waiting.delete(showOnce);
  };
};

/** Not a timer, which may come after the next frame. */
const postTask = (): void => {
  if (!channel) {
    channel = new MessageChannel();
    channel.port1.addEventListener("message", showWaiting);
    channel.port1.start();
  }
  channel.port2.postMessage(undefined);
};
