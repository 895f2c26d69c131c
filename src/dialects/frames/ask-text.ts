import type { EventOf, Json } from "../../events.ts";
import { approvalsOf, choicesOf } from "../../protocol.ts";

type Ask = EventOf<"ask-start">;

/** What an ask offers to choose from, as a person reads it. */
export const offered = (ask: Ask): Json[] => [
  ...approvalsOf(ask).map(({ label }) => label),
  ...choicesOf(ask).map(({ value, label }) => label ?? value),
];

/** Where a person answers, for clients that cannot ask. */
export const waitingText = (page: string): string => `waiting for your answer at ${page}`;

/** What an ask offers, in one line; empty if it is answered in words of one's own. */
export const optionsText = (ask: Ask): string =>
  offered(ask)
    .map((one) => (typeof one === "string" ? one : JSON.stringify(one)))
    .join(" / ");

/** An ask in one line. `toolOf` names the tool of a call. */
export const askText = (ask: Ask, page: string, toolOf: (call: string) => string = () => "this call"): string => {
  const about = ask.title ?? ask.message ?? (ask.call === undefined ? "A question" : `Allow ${toolOf(ask.call)}?`);
  const options = optionsText(ask);
  return `${about}${options === "" ? "" : ` [${options}]`} (${waitingText(page)})`;
};
