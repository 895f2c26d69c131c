/** Valid run ids. They are safe as directory names and path segments. */
export const RUN_ID = /^[A-Za-z0-9_-]{1,64}$/;
export const RUN_ID_RULE = "1 to 64 letters, digits, - or _";

export const isRunId = (text: string): boolean => RUN_ID.test(text);

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** 20 letters and digits. Not `randomUUID`, which pages only have on https or localhost. */
export const createRunId = (): string => {
  let id = "";
  while (id.length < 20)
    for (const byte of crypto.getRandomValues(new Uint8Array(32)))
      // Reject the last few values, which would make some letters more likely.
      if (byte < 252 && id.length < 20) id += LETTERS[byte % 36];
  return id;
};
