/** The curl option that sends one of these keys. Never contains the key itself: it must not appear on a screen or in a log. */
export const keyHeader = (keys: readonly string[], { RUNCAST_KEY }: NodeJS.ProcessEnv): string =>
  RUNCAST_KEY !== undefined && keys.includes(RUNCAST_KEY)
    ? '-H "authorization: Bearer $RUNCAST_KEY"'
    : "-H 'authorization: Bearer <key>'";
