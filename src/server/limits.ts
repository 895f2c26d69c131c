export interface Limits {
  readonly bodyBytes: number;
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
