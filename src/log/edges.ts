/** Text of at least this size is stored alongside the log as a file. */
export const FILE_THRESHOLD = 64 * 1024;
/** The name of the file with a tool's structured value. Files that exist only because of their size have no name. */
export const VALUE_FILE = "value.json";
const EDGE = 4 * 1024;

/** The `head` and `tail` of a text file, cut between characters. */
export const edges = (bytes: Uint8Array, mediaType: string): { head?: string; tail?: string } => {
  if (!/^text\/|json|xml|javascript|yaml/.test(mediaType)) return {};
  const decoder = new TextDecoder();
  if (bytes.length <= EDGE) return { head: decoder.decode(bytes) };
  let headEnd = EDGE;
  while (isContinuation(bytes[headEnd])) headEnd--;
  let tailStart = Math.max(headEnd, bytes.length - EDGE);
  while (isContinuation(bytes[tailStart])) tailStart++;
  return { head: decoder.decode(bytes.subarray(0, headEnd)), tail: decoder.decode(bytes.subarray(tailStart)) };
};

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
