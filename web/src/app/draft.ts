import { useState } from "react";

const nameOf = (chat: string | undefined, kind: string): string => `runcast.${kind}.${chat ?? "new"}`;

const read = (name: string): string => {
  try {
    return sessionStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
};

export const readDraft = (chat: string | undefined, kind: string): string => read(nameOf(chat, kind));

export const keepDraft = (chat: string | undefined, kind: string, text: string): void => {
  try {
    if (text) sessionStorage.setItem(nameOf(chat, kind), text);
    else sessionStorage.removeItem(nameOf(chat, kind));
  } catch {
    // The draft then lasts only as long as the component.
  }
};

/** A text of one conversation that survives a reload of the tab and switching conversations. */
export const useDraft = (chat: string | undefined, kind: string): [string, (text: string) => void] => {
  const name = nameOf(chat, kind);
  const [held, setHeld] = useState({ name, text: read(name) });
  const text = held.name === name ? held.text : read(name);
  return [
    text,
    (next) => {
      keepDraft(chat, kind, next);
      setHeld({ name, text: next });
    },
  ];
};
