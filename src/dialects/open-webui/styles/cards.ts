import type { Json } from "../../../events.ts";
import { imagesText } from "../images.ts";
import type { Item } from "../output.ts";
import { type Call, type CreateShow, createWords, type Frames, isOk } from "../show.ts";
import { excerpt, jsonBytes, nameText, oneLine, plain } from "../text.ts";

const RESULT_BYTES = 4 * 1024;
/** Up to 0.11.0, every delta resends all items, so the more there is, the shorter each new result becomes. */
const ALL_RESULTS = 40 * 1024;
const LEAST = 512;

/** Names that Open WebUI renders specially. */
const SPECIAL: ReadonlySet<string> = new Set(["ask_user", "delegate_task", "display_file"]);

/**
 * A native card for each call.
 *
 * The item of a running call has no `call_id`: versions 0.11.1 to 0.11.3 treat two items with the same `call_id` as one
 * and would replace the call with its result. Newer versions also match the result by the call's `id`, which has the
 * same value. Older ones get the `call_id` as a field, after the result is there.
 */
export const cards: CreateShow = ({ output }) => {
  const items = new Map<string, Item>();
  let used = 0;

  const added = (key: string, text: string): Frames => {
    const message = { id: `images_${key}`, type: "message", role: "assistant", status: "completed" };
    const { item, frames } = output.add(message);
    return [...frames, ...output.write(item, text)];
  };

  return {
    ...createWords(output),
    startCall({ key, label }) {
      const { item, frames } = output.add({
        id: key,
        type: "function_call",
        name: nameOf(label),
        arguments: "",
        status: "in_progress",
      });
      items.set(key, item);
      return frames;
    },
    readyCall(call) {
      const item = items.get(call.key);
      return item ? output.setArguments(item, argumentsOf(call)) : [];
    },
    executeCall({ key }) {
      const item = items.get(key);
      return item ? output.set(item, {}, { status: "completed" }) : [];
    },
    endCall({ key, name }, result) {
      const { outcome, text, link, gap, files, images } = result;
      const item = items.get(key);
      items.delete(key);
      if (!item) return [];
      const most = Math.max(LEAST, Math.min(RESULT_BYTES, Math.floor((ALL_RESULTS - used) / 2)));
      const shown = excerpt(text, most, link, gap);
      used += jsonBytes(shown);
      const status = isOk(result) ? "completed" : outcome === "denied" ? "rejected" : "failed";
      return [
        ...output.add({
          ...resultItem(key, isOk(result), shown),
          ...(files.length > 0 && { files: files.slice(0, 8) }),
        }).frames,
        ...output.set(item, { call_id: key, status }),
        ...output.setField(item, "call_id", key),
        ...(images.length > 0 ? added(key, imagesText(name, images)) : []),
      ];
    },
    endStep: () => [],
    end: () => output.finish(),
    // The latest call first: if its item is missing, its result takes that index, and the field sets the `call_id` it already has.
    will: (message) =>
      [...items]
        .toReversed()
        .flatMap(([key, item]) => [
          ...output.asAdded(resultItem(key, false, message)),
          ...output.asField(item, "call_id", key),
        ]),
  };
};

const resultItem = (key: string, isOk: boolean, text: string) => ({
  id: `fco_${key}`,
  type: "function_call_output",
  call_id: key,
  status: isOk ? "completed" : "failed",
  output: [{ type: "input_text", text }],
});

const nameOf = (label: string): string => {
  const name = nameText(label);
  return SPECIAL.has(name) ? name.replaceAll("_", "-") : name;
};

/** The arguments as JSON, which the card shows key by key, with long values truncated. */
export const argumentsOf = ({ input, inputText }: Pick<Call, "input" | "inputText">): string => {
  if (input === undefined) return JSON.stringify(excerpt(inputText, RESULT_BYTES));
  for (const most of [1024, 256, 64]) {
    const text = JSON.stringify(shortened(input, most));
    if (jsonBytes(text, RESULT_BYTES) <= RESULT_BYTES) return text;
  }
  return JSON.stringify({ arguments: excerpt(JSON.stringify(input), RESULT_BYTES / 2) });
};

const shortened = (value: Json, most: number): Json => {
  if (typeof value === "string") return value.length <= most ? plain(value) : excerpt(value, most);
  if (Array.isArray(value)) return value.slice(0, 100).map((one) => shortened(one, most));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 100)
      .map(([key, one]) => [oneLine(key), shortened(one, most)]),
  );
};
