export interface Limits {
  readonly bodyBytes: number;
  /** Of one file that a message has, of all files of a request, and how many there can be. */
  readonly fileBytes: number;
  readonly filesBytes: number;
  readonly files: number;
  /** Of all files that were uploaded for runs which have not started. */
  readonly uploadBytes: number;
  /** Of all request bodies that have not arrived whole. */
  readonly pendingBodyBytes: number;
  /** What runs may store in a day: those of one user, and all of them. */
  readonly userBytesPerDay: number;
  readonly bytesPerDay: number;
  /** What models may read and write in a day: for one user, and for everybody. */
  readonly userTokensPerDay: number;
  readonly tokensPerDay: number;
  /** At work at a time in this process: in all, and of one user. */
  readonly concurrentRuns: number;
  readonly userConcurrentRuns: number;
  /** In line for that: in all, and of one user. */
  readonly queuedRuns: number;
  readonly userQueuedRuns: number;
  readonly streams: number;
  /** How late the event loop may be before no more runs are started. */
  readonly loopDelayMs: number;
  /** From one address: starts of runs, cancels and answers, reads, and keys that are wrong. */
  readonly startsPerMinute: number;
  readonly controlsPerMinute: number;
  readonly readsPerMinute: number;
  readonly wrongKeysPerMinute: number;
}

const USUAL: Limits = {
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

/** One that is undefined is the usual one, not none. */
export const limitsOf = (given: Partial<Limits> = {}): Limits => ({
  ...USUAL,
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
});
