/** Completed lines of a code block, in order. */
export interface HighlightRequest {
  readonly block: number;
  readonly language: string;
  readonly lines: readonly string[];
  /** No more lines of this block will follow. */
  readonly last: boolean;
}

/** For each line, pairs of a span's length and its color index, or -1 for none. */
export interface HighlightReply {
  readonly block: number;
  readonly lines: readonly (readonly number[])[];
}

export const COLORS: readonly string[] = [
  "constant",
  "string",
  "comment",
  "keyword",
  "parameter",
  "function",
  "string-expression",
  "punctuation",
  "link",
];
