/** Shown for a call with an empty result. */
export const EMPTY_RESULT = "✓ completed";
/** Prefix of a failure's text. */
export const FAILED = "Error: ";
