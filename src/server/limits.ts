export interface Limits {
  readonly bodyBytes: number;
  /** For one file of a message, for all files of a request, and how many there can be. */
  readonly fileBytes: number;
  readonly filesBytes: number;
  readonly files: number;
  /** For all files uploaded for runs that have not started. */
  readonly uploadBytes: number;
  /** For all request bodies that have not fully arrived. */
  readonly pendingBodyBytes: number;
  /** How much runs may store per day: per user, and in total. */
  readonly userBytesPerDay: number;
  readonly bytesPerDay: number;
  /** How many tokens models may read and write per day: per user, and in total. */
  readonly userTokensPerDay: number;
  readonly tokensPerDay: number;
  /** Concurrent runs in this process: in total, and per user. */
  readonly concurrentRuns: number;
  readonly userConcurrentRuns: number;
  /** Queued runs: in total, and per user. */
  readonly queuedRuns: number;
  readonly userQueuedRuns: number;
  readonly streams: number;
  /** The event loop delay above which no more runs are started. */
  readonly loopDelayMs: number;
  /** Per client address: starts of runs, cancels and answers, reads, and wrong keys. */
  readonly startsPerMinute: number;
  readonly controlsPerMinute: number;
  readonly readsPerMinute: number;
  readonly wrongKeysPerMinute: number;
}

const DEFAULTS: Limits = {
  bodyBytes: 4 * 1024 * 1024,
  fileBytes: 10 * 1024 * 1024,
  filesBytes: 32 * 1024 * 1024,
  files: 100,
  uploadBytes: 512 * 1024 * 1024,
  pendingBodyBytes: 128 * 1024 * 1024,
  userBytesPerDay: 4 * 1024 ** 3,
  bytesPerDay: 64 * 1024 ** 3,
  userTokensPerDay: Infinity,
  tokensPerDay: Infinity,
  concurrentRuns: 1000,
  userConcurrentRuns: 100,
  queuedRuns: 1000,
  userQueuedRuns: 100,
  streams: 20_000,
  loopDelayMs: 1000,
  startsPerMinute: 600,
  controlsPerMinute: 600,
  readsPerMinute: 30_000,
  wrongKeysPerMinute: 30,
};

/** An undefined limit means the default, not unlimited. */
export const limitsOf = (given: Partial<Limits> = {}): Limits => ({
  ...DEFAULTS,
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
});
