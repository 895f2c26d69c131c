import type { Event } from "../events.ts";
import type { EventsAbout } from "../protocol.ts";
import { visibleText } from "../markdown.ts";
import type { RunState } from "../state.ts";
import { endOf } from "./agent.ts";
import { describeAsk } from "./ask.ts";
import { describeCall } from "./call.ts";
import { oneLine, sentence } from "./text.ts";

const LONGEST = 600;

/**
 * The screen reader announcement for an event just applied to the state: finished messages, outcomes, and open asks.
 */
export const announcementOf = (state: RunState, event: Event): string | undefined => {
  switch (event.type) {
    case "tool-end": {
      const call = state.nodes.get(event.call);
      if (call?.kind !== "call") return undefined;
      const { name, badge, problem } = describeCall(call);
      return `${name}: ${badge.word}${problem ? `, ${oneLine(problem.message)}` : ""}.`;
    }
    case "text-end": {
      const part = state.nodes.get(event.part);
      // Text from sub-agents and tools is on their cards. Only their results are announced.
      if (part?.kind !== "text" || part.agent !== undefined || part.call !== undefined) return undefined;
      const text = visibleText(part.text.slice(0, LONGEST).trim());
      return part.text.length > LONGEST ? `${text} … and more.` : text;
    }
    case "ask-start": {
      const ask = state.nodes.get(event.ask);
      return ask?.kind === "ask" ? `Waiting for you: ${describeAsk(ask).title}` : undefined;
    }
    case "run-end": {
      const end = endOf(state.root);
      if (!end || end.state === "done") return undefined;
      const why = state.error ? `: ${oneLine(state.error.message)}` : "";
      return [sentence(`${end.title}${why}`), end.advice].filter(Boolean).join(" ");
    }
    default:
      event satisfies EventsAbout;
      return undefined;
  }
};
