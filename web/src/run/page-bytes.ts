/** How many bytes one page of a file holds. */
export const PAGE_BYTES = 64 * 1024;

/** The longest rest of a character that may stand behind the end of a page. */
const REST = 3;

/** The range to ask for, so that every character lies wholly in one page: a few bytes more than the page at its end. */
export const rangeOf = (page: number): string => `bytes=${page * PAGE_BYTES}-${(page + 1) * PAGE_BYTES + REST - 1}`;

/** The text of a page: without the rest of the character before it, with that of its own last one. */
export const pageText = (bytes: Uint8Array, page: number): string => {
  let start = 0;
  if (page > 0) while (start < REST && start < bytes.length && isRest(bytes[start]!)) start++;
  let end = Math.min(bytes.length, PAGE_BYTES);
  while (end < bytes.length && isRest(bytes[end]!)) end++;
  return new TextDecoder().decode(bytes.subarray(start, end));
};

const isRest = (byte: number): boolean => (byte & 0xc0) === 0x80;
