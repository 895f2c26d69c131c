export interface Limits {
  readonly bodyBytes: number;
  readonly concurrentRuns: number;
  readonly streams: number;
  /** POSTs from one address. */
  readonly ratePerMinute: number;
}

const USUAL: Limits = { bodyBytes: 4 * 1024 * 1024, concurrentRuns: 1000, streams: 20_000, ratePerMinute: 600 };

/** One that is undefined is the usual one, not none. */
export const limitsOf = (given: Partial<Limits> = {}): Limits => ({
  ...USUAL,
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
});
