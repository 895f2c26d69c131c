/** What a run in line waits for. */
export interface Bound {
  readonly most: number;
  readonly whose: "user" | "server";
}

/** Where one run stands in line. */
export class Place {
  readonly user: string | undefined;
  position = 0;
  #text = "";
  #shown = "";
  #state: "waiting" | "admitted" | "gone" = "waiting";
  #wake: (() => void) | undefined;

  constructor(user: string | undefined) {
    this.user = user;
  }

  moveTo(position: number, bound: Bound): void {
    this.position = position;
    this.#text = waitingText(position, bound);
    if (this.#text !== this.#shown) this.#wake?.();
  }

  /** It is this run's turn. */
  admit(): void {
    this.#state = "admitted";
    this.#wake?.();
  }

  giveUp(): void {
    this.#state = "gone";
    this.#wake?.();
  }

  /** A new text to show, or that it is the run's turn, or that it never will be. */
  async next(): Promise<string | "admitted" | "gone"> {
    while (this.#state === "waiting" && this.#text === this.#shown)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#state !== "waiting") return this.#state;
    this.#shown = this.#text;
    return this.#text;
  }
}

const waitingText = (position: number, { most, whose }: Bound): string =>
  whose === "user"
    ? `Waiting for your other runs: ${ordinal(position)} in line. You can have ${most} at work at a time.`
    : `Waiting for a free place: ${ordinal(position)} in line. This server runs ${most} at a time.`;

const WORDS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
/** Positions further back are only shown roughly, so that a long line does not fill the logs of all who wait. */
const EXACT = 20;

const ordinal = (position: number): string => {
  if (position <= WORDS.length) return WORDS[position - 1]!;
  if (position <= EXACT) return `${position}th`;
  const unit = 10 ** Math.floor(Math.log10(position));
  return `about ${Math.ceil(position / unit) * unit}th`;
};
