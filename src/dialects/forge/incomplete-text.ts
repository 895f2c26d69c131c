import { type Incomplete, incompleteText } from "../frames/incomplete.ts";

const noteOf = (incomplete: Incomplete): string => `⚠️ ${incompleteText(incomplete)}`;

/** An answer with a note below it that it is not whole: a client of this family shows nothing but the text. */
export const withNote = (text: string, incomplete: Incomplete): string => `${text}\n\n${noteOf(incomplete)}`.trim();

/** The answer itself. */
export const withoutNote = (response: string, incomplete: Incomplete): string => {
  const note = noteOf(incomplete);
  return response.endsWith(note) ? response.slice(0, -note.length).trimEnd() : response;
};
