interface Waiting {
  readonly rank: number;
  readonly enter: () => void;
}

/** Gives the machine to one system at a time, so that none disturbs the figures of another. The lowest rank enters first. */
export class Floor {
  #isTaken = false;
  #waiting: readonly Waiting[] = [];

  async take(rank: number): Promise<void> {
    if (!this.#isTaken) return void (this.#isTaken = true);
    await new Promise<void>((enter) => {
      this.#waiting = [...this.#waiting, { rank, enter }].toSorted((one, other) => one.rank - other.rank);
    });
  }

  give(): void {
    const [next, ...rest] = this.#waiting;
    this.#waiting = rest;
    if (next) next.enter();
    else this.#isTaken = false;
  }

  /** Lets others enter while this one only waits. */
  async lend(rank: number, idle: Promise<unknown>): Promise<void> {
    this.give();
    await idle.catch(() => {});
    await this.take(rank);
  }
}
