const LETTERS = "abcdefghijklmnopqrstuvwxyz234567";

/** 20 letters: also a run's id. Not `randomUUID`, which a page has only on https or localhost. */
export const createId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(20)), (byte) => LETTERS[byte % 32]).join("");
