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
    text: "Lantern has 412 tests. 409 pass; three in the upload suite fail on Mondays, because they compare with a fixed date.",
  },
  {
    id: "dependencies",
    title: "Dependencies",
    text: "38 direct dependencies, 5 of them out of date. Only one matters: the image decoder has a fix for a crash with empty files.",
  },
  {
    id: "docs",
    title: "Documentation",
    text: "The guide still describes the configuration of version 2. New users ask about it about twice a week.",
  },
  {
    id: "release",
    title: "Release plan",
    text: "Version 3.1 is planned for the end of the month. It waits for the upload tests and for the new guide.",
  },
  {
    id: "speed",
    title: "Build times",
    text: "A clean build takes 94 seconds, 61 of them in type checking. With the cache it takes 12 seconds.",
  },
  {
    id: "people",
    title: "Who does what",
    text: "Mara looks after uploads, Jonas after the guide, Ines cuts the releases.",
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
