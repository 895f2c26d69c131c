/** In seconds, from unnoticeable to alarming. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A histogram of durations. */
export class Histogram {
  readonly #counts = BOUNDS.map(() => 0);
  #sum = 0;
  #count = 0;

  observe(seconds: number): void {
    this.#sum += seconds;
    this.#count++;
    for (let index = BOUNDS.length - 1; index >= 0 && seconds <= BOUNDS[index]!; index--) this.#counts[index]!++;
  }

  /** The samples in Prometheus text format, each with the suffix of its name. */
  samples(): readonly (readonly [string, number])[] {
    return [
      ...BOUNDS.map((bound, index) => [`_bucket{le="${bound}"}`, this.#counts[index]!] as const),
      ['_bucket{le="+Inf"}', this.#count],
      ["_sum", Math.round(this.#sum * 1e6) / 1e6],
      ["_count", this.#count],
    ];
  }
}
