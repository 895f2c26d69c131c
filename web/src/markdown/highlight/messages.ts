/** Lines of a block of code that are complete, in order. */
export interface HighlightRequest {
  readonly block: number;
  readonly language: string;
  readonly lines: readonly string[];
  /** No more lines of this block will come. */
  readonly last: boolean;
}

/** For each line the lengths of its stretches and the index of each one's colour, -1 for none. */
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
