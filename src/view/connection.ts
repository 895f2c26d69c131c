import type { Connection } from "../client.ts";
import { duration } from "./amounts.ts";
import { oneLine, sentence } from "./text.ts";

/** What a person is told of the connection to a run that goes on, and never more than is known. */
export interface ConnectionFacts {
  readonly status: Connection["status"] | "paused";
  readonly text: string;
  /** Why it is so; empty if there is nothing to explain. */
  readonly detail: string;
}

const WAITS = {
  model: "the model",
  tool: "a tool",
  you: "you",
  retry: "the next attempt",
  agent: "the agent",
} as const;

export const describeConnection = (connection: Connection | undefined, now: number): ConnectionFacts => {
  switch (connection?.status) {
    case undefined:
    case "closed":
      return { status: "paused", text: "Paused", detail: "" };
    case "connecting":
      return { status: "connecting", text: "Connecting…", detail: "" };
    case "live": {
      const { waiting } = connection;
      const text = waiting
        ? `Live, waiting for ${WAITS[waiting.waiting]} for ${secondsText(now - waiting.since)}`
        : "Live";
      return { status: "live", text, detail: "" };
    }
    case "reconnecting": {
      const seconds = Math.ceil((connection.nextAt - now) / 1000);
      const when = seconds > 0 ? `retrying in ${seconds} s` : "retrying now";
      const why = sentence(oneLine(connection.why.message));
      // A server that answers is not lost: what it says is what there is to know.
      const text =
        connection.httpStatus === undefined
          ? `Connection lost, ${when}`
          : sentence(`${when}: ${oneLine(connection.why.message)}`);
      return { status: "reconnecting", text, detail: why };
    }
    case "finished":
      return { status: "finished", text: "Finished", detail: "" };
    case "failed":
      return { status: "failed", text: "Not connected", detail: sentence(oneLine(connection.problem.message)) };
  }
};

/** In whole seconds: it is told only now and then. */
const secondsText = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1000);
};
