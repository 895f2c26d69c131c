/** How often Alice's agent says something. */
export const TICK_MS = 20;
