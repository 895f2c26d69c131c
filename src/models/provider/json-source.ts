const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]|[^\s{}[\]:,"]+/g;

/**
 * The objects and lists under `key` within objects under `parent`, in order, as they are written in valid JSON: with
 * their numbers, the order of their keys and repeated keys, which a parser loses.
 */
export const objectSources = (json: string, parent: string, key: string): string[] => {
  const sources: string[] = [];
  const levels: string[] = [];
  /** Where a value that is being read starts, and its level. What is within it is a part of it. */
  let open: { readonly start: number; readonly level: number } | undefined;
  let last = "";
  for (const { 0: token, index } of json.matchAll(TOKENS)) {
    if (token === "{" || token === "[") {
      if (last === key && levels.at(-1) === parent) open ??= { start: index, level: levels.length };
      levels.push(last);
    } else if (token === "}" || token === "]") {
      levels.pop();
      if (open?.level === levels.length) {
        sources.push(json.slice(open.start, index + 1));
        open = undefined;
      }
    }
    last = token.startsWith('"') ? token.slice(1, -1) : "";
  }
  return sources;
};

/** The same JSON without white space, and with each string as `JSON.stringify` writes it. */
export const compacted = (json: string): string =>
  json.replaceAll(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/g, (_, text?: string) =>
    text === undefined ? "" : JSON.stringify(JSON.parse(text)),
  );
