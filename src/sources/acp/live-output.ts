/** How much output of one call is shown live. */
const MAX_SHOWN = 1024 * 1024;
/** How much output is kept for the result. */
const KEPT = 48 * 1024;

/** The live output of a command, from pieces or from texts that repeat all of it. */
export class LiveOutput {
  #tail = "";
  #shown = 0;
  #isCut = false;
  #whole: string | undefined;

  get isEmpty(): boolean {
    return this.#shown === 0;
  }

  /** The end of the output. */
  get text(): string {
    return this.#isCut ? `[The beginning is omitted.]\n${this.#tail}` : this.#tail;
  }

  /** Adds a piece. Returns the part to show. */
  push(piece: string): string {
    this.#tail += piece;
    if (this.#tail.length > 2 * KEPT) {
      this.#tail = this.#tail.slice(-KEPT);
      this.#isCut = true;
    }
    const room = MAX_SHOWN - this.#shown;
    this.#shown += piece.length;
    if (room <= 0) return "";
    return piece.length < room ? piece : `${piece.slice(0, room)}\n[The rest of the output is not shown.]\n`;
  }

  /** Takes the complete output so far. Returns the new part to show, or undefined if it does not continue the previous output. */
  replace(whole: string): string | undefined {
    const last = this.#whole ?? "";
    this.#whole = whole;
    return whole.startsWith(last) ? this.push(whole.slice(last.length)) : undefined;
  }

  clear(): void {
    this.#tail = "";
    this.#whole = undefined;
  }
}
