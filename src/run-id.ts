/** The ids a run may have: each is also a safe name of a folder and of a path's segment. */
export const RUN_ID = /^[A-Za-z0-9_-]{1,64}$/;
export const RUN_ID_RULE = "1 to 64 letters, digits, - or _";

export const isRunId = (text: string): boolean => RUN_ID.test(text);

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** 20 letters and digits. Not `randomUUID`, which a page has only on https or localhost. */
export const createRunId = (): string => {
  let id = "";
  while (id.length < 20)
    for (const byte of crypto.getRandomValues(new Uint8Array(32)))
      // The last few values would make some letters more likely than others.
      if (byte < 252 && id.length < 20) id += LETTERS[byte % 36];
  return id;
};
