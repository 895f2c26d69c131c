/** How much is written before yielding to other work. */
const PIECE = 32 * 1024;
const STEPS = 4096;

interface Open {
  /** Undefined for an array. */
  readonly keys: readonly string[] | undefined;
  readonly values: readonly unknown[];
  readonly close: string;
  next: number;
  isFirst: boolean;
}

/**
 * The text of `JSON.stringify` for plain data, in pieces that each take bounded time, so large data does not block
 * other work. The data must not change until the last piece is returned.
 */
export function* jsonPieces(root: unknown): Generator<string, void> {
  let text = "";
  let steps = 0;
  const stack: Open[] = [];
  const open = (value: object): void => {
    const isArray = Array.isArray(value);
    text += isArray ? "[" : "{";
    const keys = isArray ? undefined : Object.keys(value);
    const values: readonly unknown[] = isArray ? value : Object.values(value);
    stack.push({ keys, values, close: isArray ? "]" : "}", next: 0, isFirst: true });
  };
  function* write(value: unknown): Generator<string, void> {
    if (typeof value === "object" && value !== null) open(value);
    else if (typeof value === "string" && value.length > PIECE) {
      text += '"';
      for (let at = 0; at < value.length; at += PIECE) {
        // A split surrogate pair is escaped, and parses as the same pair.
        yield text + JSON.stringify(value.slice(at, at + PIECE)).slice(1, -1);
        text = "";
      }
      text += '"';
    } else text += JSON.stringify(value) ?? "null";
  }

  yield* write(root);
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    steps += 1;
    if (text.length >= PIECE || steps >= STEPS) {
      yield text;
      text = "";
      steps = 0;
    }
    if (top.next >= top.values.length) {
      text += top.close;
      stack.pop();
      continue;
    }
    const index = top.next++;
    const value = top.values[index];
    if (top.keys && value === undefined) continue;
    if (!top.isFirst) text += ",";
    top.isFirst = false;
    if (top.keys) text += `${JSON.stringify(top.keys[index])}:`;
    if (typeof value === "string" && value.length > PIECE) yield* write(value);
    else if (typeof value === "object" && value !== null) open(value);
    else text += JSON.stringify(value) ?? "null";
  }
  if (text !== "") yield text;
}
