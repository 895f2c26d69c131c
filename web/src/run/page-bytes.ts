/** The bytes per page of a file. */
export const PAGE_BYTES = 64 * 1024;

/** The maximum number of continuation bytes of a character beyond the end of a page. */
const REST = 3;

/** The byte range of a page, plus a few bytes at its end so that every character lies completely in one page. */
export const rangeOf = (page: number): string => `bytes=${page * PAGE_BYTES}-${(page + 1) * PAGE_BYTES + REST - 1}`;

/** The text of a page: without the rest of the previous page's last character, with the rest of its own. */
export const pageText = (bytes: Uint8Array, page: number): string => {
  let start = 0;
  if (page > 0) while (start < REST && start < bytes.length && isRest(bytes[start]!)) start++;
  let end = Math.min(bytes.length, PAGE_BYTES);
  while (end < bytes.length && isRest(bytes[end]!)) end++;
  return new TextDecoder().decode(bytes.subarray(start, end));
};

const isRest = (byte: number): boolean => (byte & 0xc0) === 0x80;
