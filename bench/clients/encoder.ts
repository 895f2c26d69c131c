import type { Dialect } from "../../src/dialect.ts";
import type { Entry, Event } from "../../src/events.ts";
import { PROTOCOL } from "../../src/events.ts";
import { frameText } from "../../src/sse.ts";
import type { Client } from "../client.ts";
import { nativeRun } from "../workload.ts";

const AT = 1_760_000_000_000;

/** Our encoder of a dialect, from log entries to the text of its stream. */
export const encoderOf = (dialect: Dialect): Pick<Client, "encode"> => ({
  encode: (plan) => {
    const { opening, events } = nativeRun(plan);
    const all: Event[] = [
      { type: "run-start", protocol: PROTOCOL, run: "run-1", name: "bench" },
      ...opening,
      ...events,
      { type: "run-end", outcome: "done" },
    ];
    const entries = all.map((event, index): Entry => ({ seq: index + 1, at: AT + index, event }));
    return () => {
      const encode = dialect.encode({ link: () => "" });
      let length = 0;
      for (const entry of entries) for (const frame of encode(entry)) length += frameText(frame).length;
      return length;
    };
  },
});
