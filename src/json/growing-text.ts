const BLOCK = 1024;

/** Never looked into while it grows, which would copy it each time. Slices are flat: without them it would be kept as its many pieces. */
export class GrowingText {
  #blocks = "";
  #rest = "";

  get text(): string {
    return this.#blocks + this.#rest;
  }

  add(piece: string): void {
    this.#rest += piece;
    if (this.#rest.length <= BLOCK) return;
    this.#blocks += this.#rest.slice(0, -1);
    this.#rest = this.#rest.slice(-1);
  }
}
