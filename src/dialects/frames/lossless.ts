import { parseFields } from "../../json.ts";
import type { Entry, Event } from "../../events.ts";
import { ID_FIELDS } from "../../id-fields.ts";
import type { Decoder, EncodeOptions, Frame } from "../../dialect.ts";

/** Encodes entries in a family's native format and decodes that format again. Both directions may lose information. */
export interface Codec {
  encode(options: EncodeOptions): (entry: Entry) => readonly Frame[];
  decode(): Decoder;
}

/** A kind of frame that the family's clients skip. */
export interface Slot {
  write(data: string): Frame;
  /** The slot's data, or undefined if the frame is of another kind. */
  read(frame: Frame): string | undefined;
}

/** The fields to set and to remove on the event decoded from the next `frames` frames. With 0 frames, the whole event. */
interface Residue {
  readonly frames: number;
  readonly type: Event["type"];
  readonly set?: Record<string, unknown>;
  readonly unset?: readonly string[];
}

/**
 * Makes a codec lossless for clients that request extensions. The encoder decodes its own frames as a client would.
 * If the result differs from the event, it sends the difference in a slot frame before them. So decode(encode(log))
 * equals the log regardless of what the native format loses, and nothing is sent twice.
 */
export const lossless = (codec: Codec, slot: Slot): Codec => ({
  encode(options) {
    const encode = codec.encode(options);
    if (!options.extensions) return encode;
    const understand = codec.decode();
    const ids = createIds();
    return (entry) => {
      const frames = encode(entry);
      const understood = frames.flatMap((frame) => understand(frame));
      const { event } = entry;
      const base = understood.find(({ type }) => type === event.type);
      const residue = difference(base && ids.named(base), event);
      if (base) ids.learn(base, event);
      if (base && understood.length === 1 && !residue.set && !residue.unset) return frames;
      return [
        slot.write(JSON.stringify({ frames: frames.length, type: event.type, ...residue } satisfies Residue)),
        ...frames,
      ];
    };
  },

  decode() {
    const understand = codec.decode();
    const ids = createIds();
    let open: { readonly residue: Residue; left: number; base: Event | undefined } | undefined;
    const decode = (frame: Frame): readonly Event[] => {
      const text = slot.read(frame);
      if (text !== undefined) {
        const residue = parse(text);
        if (!residue) return [];
        if (residue.frames === 0) return [patched(undefined, residue)];
        open = { residue, left: residue.frames, base: undefined };
        return [];
      }
      const understood = understand(frame);
      if (!open) return understood.map(ids.named);
      const { residue } = open;
      open.base ??= understood.find(({ type }) => type === residue.type);
      if (--open.left > 0) return [];
      const { base } = open;
      open = undefined;
      const event = patched(base && ids.named(base), residue);
      if (base) ids.learn(base, event);
      return [event];
    };
    return understand.pause ? Object.assign(decode, { pause: () => understand.pause!().map(ids.named) }) : decode;
  },
});

/** Families have few ids, so a decoder makes up its own. Maps them to the real ids, so each needs to be sent only once. */
const createIds = () => {
  const known = new Map<string, string>();
  return {
    named(event: Event): Event {
      if (known.size === 0) return event;
      const named = { ...event } as Record<string, unknown>;
      for (const [field, kind] of Object.entries(ID_FIELDS)) {
        const id = known.get(`${kind} ${named[field]}`);
        if (id !== undefined) named[field] = id;
      }
      return named as Event;
    },
    learn(made: Event, event: Event): void {
      for (const [field, kind] of Object.entries(ID_FIELDS)) {
        const from = (made as Record<string, unknown>)[field];
        const to = (event as Record<string, unknown>)[field];
        if (typeof from !== "string" || typeof to !== "string") continue;
        if (from !== to) known.set(`${kind} ${from}`, to);
        else known.delete(`${kind} ${from}`);
      }
    },
  };
};

const difference = (base: Event | undefined, event: Event): Pick<Residue, "set" | "unset"> => {
  const from = (base ?? {}) as Record<string, unknown>;
  const set: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(event)) {
    if (key !== "type" && value !== undefined && JSON.stringify(from[key]) !== JSON.stringify(value)) set[key] = value;
  }
  const unset = Object.keys(from).filter(
    (key) => from[key] !== undefined && (event as Record<string, unknown>)[key] === undefined,
  );
  return { ...(Object.keys(set).length > 0 && { set }), ...(unset.length > 0 && { unset }) };
};

const patched = (base: Event | undefined, { type, set, unset = [] }: Residue): Event => {
  const event: Record<string, unknown> = { ...base, type, ...set };
  for (const key of unset) delete event[key];
  return event as Event;
};

/** Ignores slots that hold no residue of ours, as the family's clients do. */
const parse = (text: string): Residue | undefined => {
  const value = parseFields(text);
  if (!value) return undefined;
  const { frames, type, set = {}, unset = [] } = value;
  const isResidue =
    Number.isSafeInteger(frames) &&
    (frames as number) >= 0 &&
    typeof type === "string" &&
    typeof set === "object" &&
    Array.isArray(unset) &&
    unset.every((key) => typeof key === "string");
  return isResidue ? (value as unknown as Residue) : undefined;
};
