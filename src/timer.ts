/** The longest delay of a timer, in milliseconds. A longer one would fire immediately. */
export const LONGEST_TIMER = 2 ** 31 - 1;
