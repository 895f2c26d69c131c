import type { Answer, EventOf } from "../events.ts";
import { approvalsOf } from "../protocol.ts";
import { excluding, type OpenAsk, type OpenCall } from "./ledger.ts";
import type { Rule } from "./rules.ts";

export const startAsk: Rule<EventOf<"ask-start">> = (run, event) => {
  const agent = run.owner(event);
  if (typeof agent === "string") return agent;
  const wrong = run.fresh(event.ask, "ask");
  if (wrong) return wrong;
  let call: OpenCall | undefined;
  if (event.call !== undefined) {
    const found = run.openCall(event as typeof event & { call: string });
    if (typeof found === "string") return found;
    call = found;
    if (event.kind === "approval" && call.phase === "executing")
      return `ask ${event.ask} approves call ${call.id}, which is already executing`;
    if (event.kind !== "approval" && call.phase !== "executing")
      return `ask ${event.ask} belongs to call ${call.id}, which is not executing`;
  } else if (event.kind === "approval") return `ask ${event.ask} is an approval, but names no call`;
  const options = run.protocol < 2 ? undefined : optionsOf(event);
  if (typeof options === "string") return options;
  run.startAsk({ id: event.ask, kind: event.kind, agent, call, options, open: true });
  return undefined;
};

const optionsOf = (event: EventOf<"ask-start">): OpenAsk["options"] | string => {
  if (!event.options?.length) return undefined;
  const offered = approvalsOf(event);
  if (offered.length > 0 !== (event.kind === "approval"))
    return `ask ${event.ask} is of the kind ${event.kind}, but its options are ${offered.length > 0 ? "an approval's" : "a choice's"}`;
  if (offered.length === 0) return undefined;
  const options = new Map(offered.map(({ id, allow }) => [id, allow]));
  return options.size === offered.length ? options : `ask ${event.ask} offers two options with the same id`;
};

export const endAsk: Rule<EventOf<"ask-end">> = (run, event) => {
  const ask = run.asks.get(event.ask);
  if (!ask) return `ask-end for ask ${event.ask}, which never started`;
  if (!ask.open) return `ask-end for ask ${event.ask}, which has ended`;
  if (ask.agent.id !== event.agent) return run.wrongAgent(event, `ask ${event.ask}`, ask.agent);
  if (event.outcome === "answered" && !event.answer) return `ask ${event.ask} is answered, but has no answer`;
  const wrong = event.answer && wrongOption(ask, event.answer);
  if (wrong) return wrong;
  ask.open = false;
  excluding((ask.call ?? ask.agent).asks, ask);
  if (ask.kind === "approval" && ask.call)
    ask.call.allowed = event.outcome === "answered" && event.answer?.allow === true;
  return undefined;
};

const wrongOption = (ask: OpenAsk, { option, allow }: Answer): string | undefined => {
  if (option === undefined) return undefined;
  const allows = ask.options?.get(option);
  if (allows === undefined) return `ask ${ask.id} is answered with option ${option}, which it does not offer`;
  return allows === allow ? undefined : `ask ${ask.id} is answered with option ${option}, but allow is not ${allows}`;
};
