/** How curl sends one of these keys. The key itself has no place on a screen or in a log. */
export const keyHeader = (keys: readonly string[], { RUNCAST_KEY }: NodeJS.ProcessEnv): string =>
  RUNCAST_KEY !== undefined && keys.includes(RUNCAST_KEY)
    ? '-H "authorization: Bearer $RUNCAST_KEY"'
    : "-H 'authorization: Bearer <key>'";
