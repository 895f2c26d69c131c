const BLOCK = 1024;

/**
 * A string that is appended to often. It is not read while it grows, because reading flattens and copies it. Slices are
 * flat, so the engine does not keep the many small pieces.
 */
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
