/** The interval of the output of Alice's agent. */
export const TICK_MS = 20;
