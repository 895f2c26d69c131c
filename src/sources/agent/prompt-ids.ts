import type { Message } from "../../events.ts";
import { providerIds } from "../../ids.ts";

/** Returns the id of a call in the prompt: the model's own id, unless the model has already used it for another call. */
export type PromptIds = (id: string, call: string) => string;

export const createPromptIds = (messages: readonly Message[]): PromptIds => {
  const known = new Set(providerIds(messages).values());
  return (id, call) => {
    const name = id === "" || known.has(id) ? call : id;
    known.add(name);
    return name;
  };
};
