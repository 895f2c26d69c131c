import type { Entry } from "runcast/events";
import type { RunState } from "runcast/state";
import { attentionOf } from "runcast/view";
import { type Cell, createCell } from "../kit/cell.ts";
import type { SettingsCell } from "./settings.ts";

/** Calls the user back to a hidden page: with a mark in its title and, if enabled, a notification. */
export interface PageAttention {
  /** Prepended to the page's title until the user looks. Empty if there is nothing to see. */
  readonly mark: Cell<string>;
  observe(state: RunState, entry: Entry): void;
}

export const createAttention = (settings: SettingsCell): PageAttention => {
  const mark = createCell("");
  document.addEventListener("visibilitychange", () => document.hidden || mark.set(""));
  return {
    mark,
    observe(state, { event }) {
      const attention = document.hidden ? attentionOf(state, event) : undefined;
      if (!attention) return;
      mark.set(attention.title);
      if (settings.get().notify && canNotify()) notify(attention.title, attention.text);
    },
  };
};

export const canNotify = (): boolean => "Notification" in window && Notification.permission === "granted";

/** Requests permission from the browser if needed. Returns whether notifications can be shown. */
export const allowNotifications = async (): Promise<boolean> =>
  "Notification" in window && (await Notification.requestPermission()) === "granted";

const notify = (title: string, body: string): void => {
  const shown = new Notification(title, { body, tag: "runcast" });
  shown.addEventListener("click", () => {
    window.focus();
    shown.close();
  });
};
