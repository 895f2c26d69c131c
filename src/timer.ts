/** The longest that a timer can wait, in milliseconds: it would fire a longer one at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;
