/** The other tabs of this browser. */
export interface Tabs {
  /** Reports that a conversation has changed. "" means only the list. */
  notify(conversation: string): void;
  onNotify(listener: (conversation: string) => void): void;
}

export const otherTabs = (name: string): Tabs => {
  const channel = new BroadcastChannel(name);
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target but its own origin
    notify: (conversation) => channel.postMessage(conversation),
    onNotify: (listener) => channel.addEventListener("message", ({ data }) => listener(String(data))),
  };
};
