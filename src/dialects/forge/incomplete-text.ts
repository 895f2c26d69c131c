import { type Incomplete, incompleteText } from "../frames/incomplete.ts";

const noteOf = (incomplete: Incomplete): string => `⚠️ ${incompleteText(incomplete)}`;

/** Appends a note to an incomplete answer, because clients of this family show only the text. */
export const withNote = (text: string, incomplete: Incomplete): string => `${text}\n\n${noteOf(incomplete)}`.trim();

/** The inverse: the answer without its note. */
export const withoutNote = (response: string, incomplete: Incomplete): string => {
  const note = noteOf(incomplete);
  return response.endsWith(note) ? response.slice(0, -note.length).trimEnd() : response;
};
