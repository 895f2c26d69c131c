import type { Message } from "../../events.ts";
import { providerIds } from "../../ids.ts";

/** What to call a call towards the model: what it calls it itself, unless it has called another one so. */
export type PromptIds = (id: string, call: string) => string;

export const createPromptIds = (messages: readonly Message[]): PromptIds => {
  const known = new Set(providerIds(messages).values());
  return (id, call) => {
    const name = id === "" || known.has(id) ? call : id;
    known.add(name);
    return name;
  };
};
