import type { Dialect } from "../../src/dialect.ts";
import type { Entry } from "../../src/events.ts";
import { frameText, lineSafe } from "../../src/sse.ts";

/** The stream of a run in a dialect, byte for byte, except for links and heartbeats. */
export const streamOf = (dialect: Dialect, entries: readonly Entry[]): string => {
  const encode = dialect.encode({ link: ({ file }) => `https://runcast.example/files/${file}` });
  return lineSafe(
    entries
      .flatMap((entry) => encode(entry))
      .map(frameText)
      .join(""),
  );
};
