/**
 * What the root has said so far, as one text: parts stand apart from each other, and one that replaces another takes its place.
 * `add` answers the text as it is now, which always ends with what was added: so parts that interleave stand in the order they
 * come. `whole` has each part in one piece, in the order they started.
 */
export interface RunningText {
  start(part: string, replaces?: string): void;
  /** Undefined for a part that is none of the root's. */
  add(part: string, delta: string): string | undefined;
  readonly whole: string;
}

/** Between two parts. */
export const BREAK = "\n\n";

export const createRunningText = (): RunningText => {
  const places: { text: string }[] = [];
  const byPart = new Map<string, { text: string }>();
  let running = "";
  let last: string | undefined;

  const joined = () =>
    places
      .map(({ text }) => text)
      .filter((text) => text !== "")
      .join(BREAK);

  return {
    start(part, replaces) {
      const taken = replaces === undefined ? undefined : byPart.get(replaces);
      const place = taken ?? { text: "" };
      byPart.set(part, place);
      if (!taken) return void places.push(place);
      place.text = "";
      running = joined();
      last = undefined;
    },
    add(part, delta) {
      const place = byPart.get(part);
      if (!place) return undefined;
      place.text += delta;
      running += running !== "" && last !== part ? BREAK + delta : delta;
      last = part;
      return running;
    },
    get whole() {
      return joined();
    },
  };
};
