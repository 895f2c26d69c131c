import type { Connection } from "../client.ts";
import type { Problem } from "../events.ts";
import { duration } from "./amounts.ts";
import { oneLine, sentence } from "./text.ts";

/** What a person is told of the connection to a run that goes on, and never more than is known. */
export interface ConnectionFacts {
  readonly status: Connection["status"] | "paused";
  readonly text: string;
  /** Why it is so; empty if there is nothing to explain. */
  readonly detail: string;
  /** What to tell of it where it is told once and nothing counts down; empty unless something is wrong that may pass. */
  readonly notice: string;
}

/** What only who holds the connection knows. */
export interface ConnectionCircumstances {
  /** Whether anything has come over it before. Default: true. */
  readonly hasBeenLive?: boolean;
  /** A problem in words, with what to do about it here. Default: its message. */
  readonly problemText?: (problem: Problem) => string;
}

const WAITS = {
  model: "the model",
  tool: "a tool",
  you: "you",
  retry: "the next attempt",
  agent: "the agent",
} as const;

/** What ends a connection without a word of the server. */
const UNSAID: ReadonlySet<string> = new Set(["no-stream", "reader-failed"]);

/** Whether a server has answered and said no. */
export const isRefusal = ({ code }: Problem): boolean => !UNSAID.has(code);

export const describeConnection = (
  connection: Connection | undefined,
  now: number,
  { hasBeenLive = true, problemText = ({ message }) => oneLine(message) }: ConnectionCircumstances = {},
): ConnectionFacts => {
  switch (connection?.status) {
    case undefined:
    case "closed":
      return { status: "paused", text: "Paused", detail: "", notice: "" };
    case "connecting":
      return { status: "connecting", text: "Connecting…", detail: "", notice: "" };
    case "live": {
      const { waiting } = connection;
      const text = waiting
        ? `Live, waiting for ${WAITS[waiting.waiting]} for ${secondsText(now - waiting.since)}`
        : "Live";
      return { status: "live", text, detail: "", notice: "" };
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
      const lost = `${hasBeenLive ? "connection lost" : "no answer yet"} (${oneLine(connection.why.message)})`;
      const reason = connection.httpStatus === undefined ? lost : `the server answered: ${problemText(connection.why)}`;
      return { status: "reconnecting", text, detail: why, notice: `${reason}; trying again` };
    }
    case "finished":
      return { status: "finished", text: "Finished", detail: "", notice: "" };
    case "failed":
      return {
        status: "failed",
        text: isRefusal(connection.problem) ? "Refused" : "Not connected",
        detail: sentence(oneLine(connection.problem.message)),
        notice: "",
      };
  }
};

/** In whole seconds: it is told only now and then. */
const secondsText = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1000);
};
