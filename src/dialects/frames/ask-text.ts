import type { EventOf, Json } from "../../events.ts";
import { approvalsOf, choicesOf } from "../../protocol.ts";

type Ask = EventOf<"ask-start">;

/** The labels of the choices that an ask offers. */
export const offered = (ask: Ask): Json[] => [
  ...approvalsOf(ask).map(({ label }) => label),
  ...choicesOf(ask).map(({ value, label }) => label ?? value),
];

/** Tells the user where to answer, for clients that cannot answer asks themselves. */
export const waitingText = (page: string): string => `waiting for your answer at ${page}`;

/** The choices of an ask in one line. Empty if the ask takes free text. */
export const optionsText = (ask: Ask): string =>
  offered(ask)
    .map((one) => (typeof one === "string" ? one : JSON.stringify(one)))
    .join(" / ");

/** An ask in one line. `toolOf` returns the tool name of a call. */
export const askText = (ask: Ask, page: string, toolOf: (call: string) => string = () => "this call"): string => {
  const about = ask.title ?? ask.message ?? (ask.call === undefined ? "A question" : `Allow ${toolOf(ask.call)}?`);
  const options = optionsText(ask);
  return `${about}${options === "" ? "" : ` [${options}]`} (${waitingText(page)})`;
};
