/** The limit that a queued run waits for. */
export interface Bound {
  readonly most: number;
  readonly scope: "user" | "server";
}

/** A run's place in the queue. */
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

  /** The next text to show, or `admitted` when it is the run's turn, or `gone` if it never will be. */
  async next(): Promise<string | "admitted" | "gone"> {
    while (this.#state === "waiting" && this.#text === this.#shown)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#state !== "waiting") return this.#state;
    this.#shown = this.#text;
    return this.#text;
  }
}

const waitingText = (position: number, { most, scope }: Bound): string =>
  scope === "user"
    ? `Waiting for your other runs: ${ordinal(position)} in line. You can have ${most} active at a time.`
    : `Waiting for a free slot: ${ordinal(position)} in line. This server runs ${most} at a time.`;

const WORDS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
/** Later positions are rounded, so a long queue does not fill the logs of all waiting runs. */
const EXACT = 20;

const ordinal = (position: number): string => {
  if (position <= WORDS.length) return WORDS[position - 1]!;
  if (position <= EXACT) return `${position}th`;
  const unit = 10 ** Math.floor(Math.log10(position));
  return `about ${Math.ceil(position / unit) * unit}th`;
};
