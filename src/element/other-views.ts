import type { EventOf } from "../events.ts";
import type { AgentNode, AskNode, MarkNode, ResumeNode, StepNode } from "../state.ts";
import { describeAgent, describeAside, describeAsk, describeResume, describeStep } from "../view.ts";
import { fileLine } from "./call-view.ts";
import { icon } from "./icon.ts";
import { make, makeBadge, makeLink, setText } from "./make.ts";
import type { Scene, View } from "./scene.ts";

/** A sub-agent and everything it did. */
export const createAgentView = (scene: Scene): View<AgentNode> => {
  const mark = make("span", "mark");
  const name = make("b");
  const task = make("span", "soft brief");
  const time = make("span", "soft time");
  const summary = make("summary", "", mark, icon("agent"), name, task, time);
  const whole = make("p", "soft whole");
  const status = make("p", "soft");
  const advice = make("p", "advice");
  const error = make("p", "problem");
  const usage = make("p", "soft");
  const items = make("div", "items");
  const element = make("details", "agent", summary, whole, status, items, advice, error, usage);
  const showItems = scene.items(items);
  let isTouched = false;
  summary.addEventListener("click", () => (isTouched = true));
  return {
    element,
    show: (node) => {
      const facts = describeAgent(node);
      if (element.dataset["state"] !== facts.badge.state) {
        element.dataset["state"] = facts.badge.state;
        element.dataset["tone"] = facts.badge.tone;
        mark.replaceChildren(...makeBadge(facts.badge));
      }
      setText(name, facts.name);
      setText(task, facts.task);
      setText(whole, facts.fullTask);
      whole.classList.toggle("short", !facts.hasLongTask);
      setText(status, facts.status);
      setText(advice, facts.advice);
      setText(error, facts.problem ? [facts.problem.message, facts.problem.hint].filter(Boolean).join(" ") : "");
      error.dataset["tone"] = facts.problem?.tone ?? "";
      setText(usage, facts.usage);
      scene.clock.show(time, facts.time);
      if (!isTouched) element.open = !facts.isOver || facts.badge.tone === "bad";
      showItems(node.items);
    },
  };
};

/** An ask, read-only: shows that it is open, or how it ended. */
export const createAskView = (): View<AskNode> => {
  const head = make("p", "head");
  const title = make("b", "title");
  const message = make("p");
  const reply = make("p", "reply");
  const choices = make("p", "soft");
  const element = make("div", "ask", head, message, choices, reply);
  return {
    element,
    show: (node) => {
      const facts = describeAsk(node);
      element.dataset["state"] = facts.badge.state;
      element.dataset["tone"] = facts.badge.tone;
      setText(title, facts.title);
      head.replaceChildren(...makeBadge(facts.badge), title);
      setText(message, facts.message);
      const labels = facts.isOpen ? facts.choices.map(({ label }) => label) : [];
      setText(choices, labels.length > 0 ? `Choices: ${labels.join(", ")}` : "");
      setText(reply, facts.reply);
    },
  };
};

/** Shows only what is unusual about a step: its retries. */
export const createStepView = (): View<StepNode> => {
  const element = make("div", "step soft");
  return {
    element,
    show: (node) => {
      const { retries } = describeStep(node);
      for (const { title } of retries.slice(element.childElementCount)) element.append(make("p", "", title));
      // Seeking back in a replay can leave fewer retries.
      while (element.childElementCount > retries.length) element.lastElementChild!.remove();
      element.hidden = retries.length === 0;
    },
  };
};

export const createResumeView = (): View<ResumeNode> => {
  const element = make("p", "resume soft");
  return { element, show: (node) => setText(element, describeResume(node)) };
};

export const createMarkView = (scene: Scene): View<MarkNode> => {
  const element = make("div", "aside");
  return {
    element,
    show: (node) => element.replaceChildren(...asideOf(node, scene)),
  };
};

const asideOf = (node: MarkNode, scene: Scene): (Node | string)[] => {
  const facts = describeAside(node);
  switch (facts.kind) {
    case "citation":
      return [icon("quote"), facts.link ? makeLink(facts.link) : facts.title];
    case "file": {
      if (facts.link) return [icon("file"), makeLink(facts.link), make("span", "soft", facts.about)];
      const event = node.event as EventOf<"file">;
      return [fileLine(event, event.file === undefined ? undefined : scene.file(event.file))];
    }
    case "embed":
      return [icon("file"), facts.title, make("span", "soft", " is not shown here")];
    case "notice":
      return [icon("notice"), make("span", `notice-${facts.level}`, facts.text)];
  }
};
