import type { Entry } from "../events.ts";
import { oneLine } from "./text.ts";

/** A short description of an entry. */
export const eventText = ({ event }: Entry): string => {
  const subject = subjectOf(event);
  return subject ? `${event.type} ${oneLine(subject)}` : event.type;
};

const LONGEST = 80;

const subjectOf = (event: Entry["event"]): string => {
  switch (event.type) {
    case "text-delta":
    case "thinking-delta":
    case "tool-input-delta":
    case "tool-output-delta":
      return quoted(event.delta);
    case "run-start":
    case "agent-start":
    case "tool-start":
    case "file":
    case "data":
      return event.name;
    case "agent-end":
    case "tool-end":
    case "ask-end":
    case "run-end":
      return event.outcome;
    case "step-end":
      return event.finish;
    case "step-retry":
      return event.error.message.slice(0, LONGEST);
    case "ask-start":
      return event.kind;
    case "status":
    case "notice":
      return quoted(event.text);
    case "tool-progress":
      return event.note === undefined ? "" : quoted(event.note);
    case "citation":
    case "embed":
      return event.title === undefined ? "" : quoted(event.title);
    case "run-resume":
    case "step-start":
    case "text-start":
    case "text-end":
    case "thinking-start":
    case "thinking-end":
    case "tool-input-end":
    case "tool-execute":
      return "";
    default:
      event satisfies never;
      return "";
  }
};

const quoted = (text: string): string => JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
