import type { Connection } from "../client.ts";
import type { RunState } from "../state.ts";
import {
  describeConnection,
  describeFailure,
  describeRun,
  messageText,
  type SlotFacts,
  slotsOf,
  type Todo,
} from "../view.ts";
import type { Clock } from "./clock.ts";
import { icon } from "./icon.ts";
import { make, setText } from "./make.ts";

/** The header and footer around a run: the user's message, its status, and its outcome. */
export interface RunFrame {
  readonly above: HTMLElement;
  readonly below: HTMLElement;
  show(state: RunState, connection: Connection | undefined): void;
}

export const createRunFrame = (clock: Clock): RunFrame => {
  const name = make("b");
  const model = make("span", "soft");
  const link = make("span", "soft link");
  link.setAttribute("role", "status");
  const asked = make("p", "asked");
  const advice = make("p", "advice");
  const error = make("p", "problem");
  const awaiting = make("p", "soft");
  const mark = make("span", "mark");
  const title = make("span", "title");
  const time = make("span", "soft time");
  const usage = make("span", "soft");
  const slots = make("div", "slots");
  let shownSlots = "";
  const end = make("p", "end", mark, title, time, usage);
  return {
    above: make("header", "", make("p", "head", name, model, link), asked),
    below: make("footer", "", slots, end, advice, error, awaiting),
    show: (state, connection) => {
      const facts = describeRun(state);
      setText(name, facts.name);
      setText(model, [facts.model, facts.mode].filter(Boolean).join(" · "));
      setText(link, facts.isOver || !connection ? "" : describeConnection(connection, Date.now()).text);
      setText(asked, state.message ? messageText(state.message) : "");
      const refused = connection?.status === "failed" ? connection.problem : undefined;
      const problem = facts.problem ?? describeFailure(refused, undefined);
      setText(error, problem ? [problem.message, problem.hint].filter(Boolean).join(" ") : "");
      error.dataset["tone"] = problem?.tone ?? "";
      setText(advice, facts.advice);
      setText(awaiting, facts.awaiting);
      end.hidden = !facts.hasStarted;
      if (end.dataset["state"] !== facts.badge.state) {
        end.dataset["state"] = facts.badge.state;
        end.dataset["tone"] = facts.badge.tone;
        mark.replaceChildren(icon(facts.badge.state));
      }
      setText(title, facts.title);
      clock.show(time, facts.time);
      setText(usage, facts.usage);
      const found = slotsOf(state);
      const text = found.map(slotText).join("\n");
      if (text === shownSlots) return;
      shownSlots = text;
      slots.replaceChildren(...found.map(slotOf));
    },
  };
};

const slotOf = (slot: SlotFacts): HTMLElement => {
  if (slot.kind === "plan") return make("ul", "plan", ...slot.plan.todos.map(pointOf));
  return make("p", "soft", slot.text);
};

const slotText = (slot: SlotFacts): string =>
  slot.kind !== "plan" ? slot.text : slot.plan.todos.map(({ status, text }) => `${status} ${text}`).join("\n");

const POINTS = { pending: "☐", active: "▸", done: "☑", cancelled: "☒", left: "☐" } as const;

const pointOf = ({ status, word, text }: Todo): HTMLElement => {
  const sign = make("span", "sign", POINTS[status]);
  sign.setAttribute("role", "img");
  sign.setAttribute("aria-label", word);
  const point = make("li", "", sign, ` ${text}`);
  point.dataset["status"] = status;
  return point;
};
