import type { Frame } from "../../dialect.ts";
import { jsonSlot } from "../frames/json-slot.ts";
import { lossless, type Spelling } from "../frames/lossless.ts";
import { EXTENSION } from "./data.ts";
import { createDecoder } from "./decoder.ts";
import { createEncoder } from "./encoder.ts";

/** A custom event, which clients pass by. Not `metadata`: they keep that and send it back with every request. */
const slot = jsonSlot(`{"type":"CUSTOM","name":"${EXTENSION}","value":`);
const STARTED = '{"type":"RUN_STARTED",';

const words = lossless({ encode: createEncoder, decode: createDecoder }, slot);

/** Nothing may come before RUN_STARTED, so what would ride before it rides in it: metadata of a run is not kept by clients. */
export const spelling: Spelling = {
  encode(options) {
    const encode = words.encode(options);
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
    const decode = words.decode();
    return Object.assign((frame: Frame) => split(frame).flatMap((one) => decode(one)), {
      pause: () => decode.pause?.() ?? [],
    });
  },
};

/** The extension that rides in a start, and the start. */
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
