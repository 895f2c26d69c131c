export interface Limits {
  readonly bodyBytes: number;
  /** Of all request bodies that have not arrived whole. */
  readonly pendingBodyBytes: number;
  /** What runs may store in a day: those of one user, and all of them. */
  readonly userBytesPerDay: number;
  readonly bytesPerDay: number;
  readonly concurrentRuns: number;
  readonly streams: number;
  /** From one address: starts of runs, cancels and answers, reads, and keys that are wrong. */
  readonly startsPerMinute: number;
  readonly controlsPerMinute: number;
  readonly readsPerMinute: number;
  readonly wrongKeysPerMinute: number;
}

const USUAL: Limits = {
  bodyBytes: 4 * 1024 * 1024,
  pendingBodyBytes: 64 * 1024 * 1024,
  userBytesPerDay: 4 * 1024 ** 3,
  bytesPerDay: 64 * 1024 ** 3,
  concurrentRuns: 1000,
  streams: 20_000,
  startsPerMinute: 600,
  controlsPerMinute: 600,
  readsPerMinute: 30_000,
  wrongKeysPerMinute: 30,
};

/** One that is undefined is the usual one, not none. */
export const limitsOf = (given: Partial<Limits> = {}): Limits => ({
  ...USUAL,
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
});
