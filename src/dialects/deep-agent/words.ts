/** What the family's clients show of a call that answered with nothing. */
export const EMPTY_RESULT = "✓ completed";
/** Begins what is told of a failure. */
export const FAILED = "Error: ";
