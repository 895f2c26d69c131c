import { Refusal } from "../../source.ts";

/** Replaces an exact text in a file's text. It must occur exactly once, unless `all` is set. */
export const editText = (
  before: string,
  { path, find, replace, all = false }: { path: string; find: string; replace: string; all?: boolean },
): { text: string; count: number } => {
  if (find === replace)
    throw new Refusal("no-change", "find and replace are the same text, so there is nothing to change.");
  // The model writes \n even if the file has CRLF. Keep the file's line endings.
  const isCrlf = !before.includes(find) && before.includes("\r\n") && !find.includes("\r");
  const wanted = isCrlf ? find.replaceAll("\n", "\r\n") : find;
  const put = isCrlf ? replace.replaceAll("\n", "\r\n") : replace;
  const pieces = before.split(wanted);
  const count = pieces.length - 1;
  if (count === 0) throw new Refusal("no-match", `${path} does not contain that text. ${hint(before, find)}`);
  if (count > 1 && !all) {
    const lines = linesOf(pieces, wanted).slice(0, 10).join(", ");
    throw new Refusal(
      "many-matches",
      `${path} contains that text ${count} times (lines ${lines}). Include more of the surrounding text, or set all.`,
    );
  }
  return { text: pieces.join(put), count };
};

const hint = (before: string, find: string): string => {
  const collapse = (text: string) => text.replace(/\s+/g, " ").trim();
  return collapse(before).includes(collapse(find))
    ? "It contains the text with different spaces or line breaks. Copy them exactly as read_file shows them."
    : "Read the file again and copy the text exactly.";
};

const linesOf = (pieces: readonly string[], wanted: string): number[] => {
  const perMatch = wanted.split("\n").length - 1;
  let line = 1;
  return pieces.slice(0, -1).map((piece) => {
    line += piece.split("\n").length - 1;
    const at = line;
    line += perMatch;
    return at;
  });
};
