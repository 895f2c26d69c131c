import type { Connection } from "../client.ts";
import type { RunState } from "../state.ts";
import { describeConnection, describeProblem, describeRun, messageText, plansOf, type Todo } from "../view.ts";
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
  const plan = make("ul", "plan");
  let shownPlan = "";
  const end = make("p", "end", mark, title, time, usage);
  return {
    above: make("header", "", make("p", "head", name, model, link), asked),
    below: make("footer", "", plan, end, advice, error, awaiting),
    show: (state, connection) => {
      const facts = describeRun(state);
      setText(name, facts.name);
      setText(model, facts.model);
      setText(link, facts.isOver || !connection ? "" : describeConnection(connection, Date.now()).text);
      setText(asked, state.message ? messageText(state.message) : "");
      const refused = connection?.status === "failed" ? connection.problem : undefined;
      const problem = facts.problem ?? describeProblem(refused, undefined);
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
      const todos = plansOf(state).flatMap((one) => one.todos);
      const text = todos.map(({ status, text: words }) => `${status} ${words}`).join("\n");
      if (text === shownPlan) return;
      shownPlan = text;
      plan.hidden = todos.length === 0;
      plan.replaceChildren(...todos.map(pointOf));
    },
  };
};

const POINTS = { pending: "☐", active: "▸", done: "☑", cancelled: "☒", left: "☐" } as const;

const pointOf = ({ status, word, text }: Todo): HTMLElement => {
  const sign = make("span", "sign", POINTS[status]);
  sign.setAttribute("role", "img");
  sign.setAttribute("aria-label", word);
  const point = make("li", "", sign, ` ${text}`);
  point.dataset["status"] = status;
  return point;
};
