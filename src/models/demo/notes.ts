/** The demo agent's data: notes about Lantern, a fictional project. */
export interface Note {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export const notes: readonly Note[] = [
  {
    id: "tests",
    title: "State of the tests",
    text: "Lantern has 412 tests, and 409 of them pass. The other three, all in the upload suite, fail on Mondays because they depend on a hard-coded date.",
  },
  {
    id: "dependencies",
    title: "Dependencies",
    text: "Lantern has 38 direct dependencies. Five are outdated, but only one update matters: the image decoder no longer crashes on empty files.",
  },
  {
    id: "docs",
    title: "Documentation",
    text: "The guide still describes the version 2 configuration. New users ask about it twice a week.",
  },
  {
    id: "release",
    title: "Release plan",
    text: "Version 3.1 is planned for the end of the month. It is blocked by the upload tests and the new guide.",
  },
  {
    id: "speed",
    title: "Build times",
    text: "A clean build takes 94 seconds, 61 of which are type checking. A cached build takes 12 seconds.",
  },
  {
    id: "people",
    title: "Who does what",
    text: "Mara owns uploads, Jonas writes the guide, and Ines cuts the releases.",
  },
];

/** Notes that share a word with the query, best match first. */
export const searchNotes = (query: string): readonly Note[] => {
  const words = wordsOf(query);
  const scored = notes.map((note) => {
    const own = wordsOf(`${note.id} ${note.title} ${note.text}`);
    return { note, score: [...words].filter((word) => own.has(word)).length };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, 3)
    .map(({ note }) => note);
};

const COMMON = new Set(["about", "what", "which", "with", "notes", "note", "they", "that", "their", "says"]);
const wordsOf = (text: string): Set<string> =>
  new Set((text.toLowerCase().match(/[a-z]{4,}|\d+/g) ?? []).filter((word) => !COMMON.has(word)));
