import type { Frame } from "../../dialect.ts";
import { jsonSlot } from "../frames/json-slot.ts";
import { lossless, type Codec } from "../frames/lossless.ts";
import { EXTENSION } from "./data.ts";
import { createDecoder } from "./decoder.ts";
import { createEncoder } from "./encoder.ts";

/** A custom event, which clients ignore. Not `metadata`, which clients store and send back with every request. */
const slot = jsonSlot(`{"type":"CUSTOM","name":"${EXTENSION}","value":`);
const STARTED = '{"type":"RUN_STARTED",';

const extended = lossless({ encode: createEncoder, decode: createDecoder }, slot);

/** Nothing may precede RUN_STARTED, so its extension travels in its metadata, which clients do not store for runs. */
export const codec: Codec = {
  encode(options) {
    const encode = extended.encode(options);
    return (entry) => {
      const frames = encode(entry);
      const [extension, started, ...rest] = frames;
      if (!extension || !started?.data.startsWith(STARTED) || slot.read(extension) === undefined) return frames;
      return [
        { data: `${STARTED}"metadata":{"${EXTENSION}":${slot.read(extension)}},${started.data.slice(STARTED.length)}` },
        ...rest,
      ];
    };
  },
  decode() {
    const decode = extended.decode();
    return Object.assign((frame: Frame) => split(frame).flatMap((one) => decode(one)), {
      pause: () => decode.pause?.() ?? [],
    });
  },
};

/** Splits a RUN_STARTED with an extension into the extension frame and the plain start. */
const split = (frame: Frame): readonly Frame[] => {
  if (!frame.data.startsWith(`${STARTED}"metadata":`)) return [frame];
  try {
    const { metadata, ...started } = JSON.parse(frame.data) as { metadata?: Record<string, unknown> };
    const extension = metadata?.[EXTENSION];
    const plain = { data: JSON.stringify(started) };
    return extension === undefined ? [plain] : [slot.write(JSON.stringify(extension)), plain];
  } catch {
    return [frame];
  }
};
