import type { Frame } from "../../dialect.ts";
import { fitting, jsonBytes, LINE_BYTES, TEXT_BYTES } from "./text.ts";

/** An item of the message that Open WebUI shows. `index` is its position in the list, here and in Open WebUI. */
export interface Item {
  readonly index: number;
  readonly id: string;
  /** The value for snapshots. */
  value: Readonly<Record<string, unknown>>;
  /** The value for newer versions. Older ones take a `completed` call for one that already has its result. */
  live: Readonly<Record<string, unknown>> | undefined;
  text: string | undefined;
}

/**
 * The message's list of items, which Open WebUI rebuilds from the frames. Items are only ever appended, and every frame
 * contains the item's index and id. The server goes by the index and the page by the id, and so both agree in all versions.
 */
export interface Output {
  add(value: { readonly id: string; readonly type: string } & Readonly<Record<string, unknown>>): Added;
  /** Appends text to a message or to thinking. */
  write(item: Item, delta: string): readonly Frame[];
  /** Replaces the text of a message. */
  swap(item: Item, text: string): readonly Frame[];
  /** The same, without changing the stored item. */
  asSwap(item: Item, text: string): readonly Frame[];
  /** The frames that add an item without storing it here, for a sender that continues without us. */
  asAdded(value: Readonly<Record<string, unknown>>): readonly Frame[];
  /** Ends thinking. Understood by servers of every version. */
  endThought(item: Item): readonly Frame[];
  /** Sets the complete arguments of a call. */
  setArguments(item: Item, text: string): readonly Frame[];
  /** Sends an item again. Versions up to 0.11.0 ignore this. */
  set(
    item: Item,
    change: Readonly<Record<string, unknown>>,
    live?: Readonly<Record<string, unknown>>,
  ): readonly Frame[];
  /** Sets a field of an item that is not a message. Only servers handle this, in every version. */
  setField(item: Item, name: string, value: string): readonly Frame[];
  asField(item: Item, name: string, value: string): readonly Frame[];
  /** Sends all items together, unless they exceed this many bytes. */
  snapshot(most: number): readonly Frame[];
  /** Sends all items together for the last time, if they fit into a line. No item can be changed afterwards. */
  finish(): readonly Frame[];
}

export interface Added {
  readonly item: Item;
  readonly frames: readonly Frame[];
}

export const createOutput = (): Output => {
  const items: Item[] = [];
  let bytes = 64;
  /** Whether texts are still stored, which ends when a snapshot would exceed the limit. */
  let isKept = true;

  const grow = (more: number): void => {
    bytes += more;
    if (bytes <= LINE_BYTES || !isKept) return;
    isKept = false;
    for (const item of items) item.text = undefined;
  };

  const valueOf = (item: Item, over?: Readonly<Record<string, unknown>>): unknown =>
    item.text === undefined || !("content" in item.value)
      ? { ...item.value, ...over }
      : { ...item.value, content: [{ type: "output_text", text: item.text }], ...over };

  const say = (type: string, { index, id }: Item, rest: Readonly<Record<string, unknown>>): Frame => ({
    data: JSON.stringify({ type: `response.${type}`, output_index: index, item_id: id, ...rest }),
  });

  const done = (item: Item): readonly Frame[] => {
    // The text of long thinking is no longer stored here, so it cannot be sent again.
    if ("content" in item.value && item.text === undefined) return [];
    return [say("output_item.done", item, { item: valueOf(item, item.live) })];
  };

  const all = (listed: readonly Item[], most: number): readonly Frame[] => {
    if (items.length === 0 || !isKept || bytes > most) return [];
    const output = listed.map((item) => valueOf(item));
    return [{ data: JSON.stringify({ type: "response.completed", response: { output } }) }];
  };

  const more = (item: Item, text: string): readonly Frame[] => {
    const type = item.value["type"] === "reasoning" ? "reasoning_text.delta" : "output_text.delta";
    const frames: Frame[] = [];
    for (let from = 0; from < text.length;) {
      const units = Math.max(1, fitting(text, TEXT_BYTES, from));
      frames.push(say(type, item, { content_index: 0, delta: text.slice(from, from + units) }));
      from += units;
    }
    return frames;
  };

  const swapped = (item: Item, text: string): readonly Frame[] => [
    say("content_part.done", item, { content_index: 0, part: { type: "output_text", text } }),
  ];

  return {
    add(value) {
      const hasText = value.type === "message" || value.type === "reasoning";
      const item: Item = {
        index: items.length,
        id: value.id,
        value: hasText ? { ...value, content: [] } : value,
        live: undefined,
        text: hasText && isKept ? "" : undefined,
      };
      items.push(item);
      const shown = hasText ? { ...value, content: [{ type: "output_text", text: "" }] } : value;
      const data = JSON.stringify({ type: "response.output_item.added", output_index: item.index, item: shown });
      grow(data.length + 32);
      return { item, frames: [{ data }] };
    },

    write(item, delta) {
      if (item.text !== undefined) item.text += delta;
      if (isKept) grow(jsonBytes(delta));
      return more(item, delta);
    },

    swap(item, text) {
      if (item.text !== undefined) {
        bytes -= jsonBytes(item.text);
        item.text = text;
      }
      if (isKept) grow(jsonBytes(text));
      const first = fitting(text, TEXT_BYTES);
      return [...swapped(item, text.slice(0, first)), ...more(item, text.slice(first))];
    },
    asSwap: swapped,
    asAdded: (item) => [
      { data: JSON.stringify({ type: "response.output_item.added", output_index: items.length, item }) },
    ],
    endThought: (item) => [say("reasoning_summary_text.done", item, { text: "" })],

    setArguments(item, text) {
      item.value = { ...item.value, arguments: text };
      grow(jsonBytes(text));
      return [say("function_call_arguments.done", item, { arguments: text })];
    },

    set(item, change, live) {
      item.value = { ...item.value, ...change };
      item.live = live;
      return done(item);
    },

    setField(item, name, value) {
      item.value = { ...item.value, [name]: value };
      return this.asField(item, name, value);
    },
    asField: (item, name, value) => [say(`${name}.done`, item, { [name]: value })],

    snapshot: (most) => [...all(items, most), ...(bytes > most ? [] : items.filter(({ live }) => live).flatMap(done))],

    finish: () => all(items.toSorted(byCall(items)), LINE_BYTES),
  };
};

/**
 * Moves each result behind its call and keeps the rest in place. The display is the same, but Open WebUI drops a call
 * from the next request if another call precedes its result.
 */
const byCall = (items: readonly Item[]): ((one: Item, other: Item) => number) => {
  const places = new Map(
    items.flatMap(({ value, id, index }) => (value["type"] === "function_call" ? [[id, index] as const] : [])),
  );
  const placeOf = ({ value, index }: Item): number => {
    const call = value["type"] === "function_call_output" ? places.get(value["call_id"] as string) : undefined;
    return call === undefined ? index : call + 0.5;
  };
  return (one, other) => placeOf(one) - placeOf(other);
};
