/**
 * The root agent's output as one text, with parts separated. A part that replaces another takes its place. `add`
 * returns the running text, which always ends with the delta, so interleaved parts appear in order of arrival. `whole`
 * has each part in one piece, in the order they started.
 */
export interface RunningText {
  start(part: string, replaces?: string): void;
  /** Undefined for parts that do not belong to the root agent. */
  add(part: string, delta: string): string | undefined;
  readonly whole: string;
}

/** Separates two parts. */
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
