import type { Connection } from "../client.ts";
import type { Problem } from "../events.ts";
import { duration } from "./amounts.ts";
import { oneLine, sentence } from "./text.ts";

/** Display data for the connection to an active run. States only what is known. */
export interface ConnectionFacts {
  readonly status: Connection["status"] | "paused";
  readonly text: string;
  /** The reason for the status. Empty if there is nothing to explain. */
  readonly detail: string;
  /** The text for views that print it once and show no countdown. Empty unless there is a problem that may resolve. */
  readonly notice: string;
}

/** Details that only the owner of the connection knows. */
export interface ConnectionCircumstances {
  /** Whether any data has arrived on it before. Default: true. */
  readonly hasBeenLive?: boolean;
  /** Formats a problem, including what to do about it in this context. Default: its message. */
  readonly problemText?: (problem: Problem) => string;
}

const WAITS: Readonly<Record<string, string>> = {
  model: "the model",
  tool: "a tool",
  you: "you",
  retry: "the next attempt",
  storage: "the server's storage",
};

const UNSTORED = "The run stopped because the server cannot store it. Its end will be stored when storage works again.";

/** Problems that end a connection without a response from the server. */
const NOT_REFUSALS: ReadonlySet<string> = new Set(["no-stream", "reader-failed"]);

/** Whether the server responded with a refusal. */
export const isRefusal = ({ code }: Problem): boolean => !NOT_REFUSALS.has(code);

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
        ? `Live, waiting for ${WAITS[waiting.waiting] ?? "the agent"} for ${secondsText(now - waiting.since)}`
        : "Live";
      const detail = waiting?.waiting === "storage" ? UNSTORED : "";
      return { status: "live", text, detail, notice: "" };
    }
    case "reconnecting": {
      const seconds = Math.ceil((connection.nextAt - now) / 1000);
      const when = seconds > 0 ? `retrying in ${seconds} s` : "retrying now";
      const why = sentence(oneLine(connection.why.message));
      // If the server responded, the connection is not lost. Show the server's message instead.
      const text =
        connection.httpStatus === undefined
          ? `Connection lost, ${when}`
          : sentence(`${when}: ${oneLine(connection.why.message)}`);
      const lost = `${hasBeenLive ? "connection lost" : "no response yet"}: ${oneLine(connection.why.message)}`;
      const reason =
        connection.httpStatus === undefined ? lost : `the server responded: ${problemText(connection.why)}`;
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

/** Rounded to whole seconds because the text is only updated occasionally. */
const secondsText = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1000);
};
