import { duration } from "../amounts.ts";
import { approvalsOf, choicesOf } from "../protocol.ts";
import { safeUrl } from "../markdown.ts";
import type { AgentNode, AskNode, MarkNode, StepNode } from "../state.ts";
import { fileLine } from "./call-view.ts";
import { icon } from "./icon.ts";
import { make, makeLink, setText } from "./make.ts";
import type { Scene, View } from "./scene.ts";

const OUTCOMES = {
  done: ["ok", "done"],
  error: ["error", "failed"],
  cancelled: ["cancelled", "cancelled"],
  interrupted: ["interrupted", "interrupted"],
} as const;

/** A sub-agent, with everything that it did. */
export const createAgentView = (scene: Scene): View<AgentNode> => {
  const mark = make("span", "mark");
  const name = make("b");
  const task = make("span", "soft brief");
  const time = make("span", "soft time");
  const summary = make("summary", "", mark, icon("agent"), name, task, time);
  const status = make("p", "soft");
  const error = make("p", "bad");
  const items = make("div", "items");
  const element = make("details", "agent", summary, status, items, error);
  const showItems = scene.items(items);
  let isTouched = false;
  let outcome: AgentNode["outcome"] | "none" = "none";
  summary.addEventListener("click", () => (isTouched = true));
  return {
    element,
    show: (node) => {
      if (node.outcome !== outcome) {
        outcome = node.outcome;
        const [drawing, word] = outcome ? OUTCOMES[outcome] : (["executing", "working"] as const);
        element.dataset["state"] = drawing;
        mark.replaceChildren(icon(drawing), make("span", "word", word));
      }
      setText(name, node.name);
      setText(task, node.task ?? "");
      setText(status, node.status ?? "");
      setText(error, node.error?.message ?? "");
      if (node.endedAt === undefined) scene.clock.start(time, node.startedAt);
      else {
        scene.clock.stop(time);
        setText(time, duration(node.endedAt - node.startedAt));
      }
      if (!isTouched) element.open = node.endedAt === undefined || node.outcome === "error";
      showItems(node.items);
    },
  };
};

/** A question to a person. It is answered elsewhere: here it is seen that it waits, and what came of it. */
export const createAskView = (): View<AskNode> => {
  const head = make("p", "head");
  const question = make("p");
  const options = make("p", "soft");
  const element = make("div", "ask", head, question, options);
  return {
    element,
    show: ({ ask, outcome, answer, by }) => {
      const isOpen = outcome === undefined;
      element.dataset["state"] = isOpen ? "waiting" : "ended";
      head.replaceChildren(icon(isOpen ? "waiting" : "ok"), make("b", "", isOpen ? "Waits for a person" : ended()));
      setText(question, [ask.title, ask.message].filter(Boolean).join(": "));
      const labels = [
        ...choicesOf(ask).map(({ value, label }) => label ?? String(value)),
        ...approvalsOf(ask).map(({ label }) => label),
      ];
      setText(options, isOpen && labels.length > 0 ? `Choices: ${labels.join(", ")}` : "");

      function ended(): string {
        if (outcome !== "answered") return `Not answered: ${outcome ?? ""}`;
        const said =
          answer?.allow === undefined
            ? `Answered: ${typeof answer?.value === "string" ? answer.value : JSON.stringify(answer?.value ?? null)}`
            : answer.allow
              ? answer.input === undefined
                ? "Allowed"
                : "Allowed with edits"
              : "Denied";
        return [said, by && `by ${by}`, answer?.reason && `(${answer.reason})`].filter(Boolean).join(" ");
      }
    },
  };
};

/** Only what is unusual of a step is said: that it was tried again. */
export const createStepView = (): View<StepNode> => {
  const element = make("p", "soft");
  return {
    element,
    show: ({ retries }) => {
      const last = retries.at(-1);
      setText(element, last ? `Asked the model again (try ${last.attempt}): ${last.error.message}` : "");
    },
  };
};

export const createResumeView = (): View => ({
  element: make("p", "soft", "Continued after an interruption"),
  show: () => {},
});

export const createMarkView = (scene: Scene): View<MarkNode> => {
  const element = make("div", "aside");
  return {
    element,
    show: ({ event }) => element.replaceChildren(...markOf(event, scene)),
  };
};

const markOf = (event: MarkNode["event"], scene: Scene): (Node | string)[] => {
  switch (event.type) {
    case "citation": {
      const url = event.url === undefined ? undefined : safeUrl(event.url);
      const title = event.title ?? event.url ?? "A source";
      return [icon("quote"), url === undefined ? title : makeLink(url.href, title)];
    }
    case "file": {
      const change = event.change === undefined || event.change === "created" ? "" : ` ${event.change}`;
      const url = event.file === undefined ? undefined : scene.file(event.file);
      return [fileLine(event, url), make("span", "soft", change)];
    }
    case "embed":
      return [icon("file"), event.title ?? "Embedded content", make("span", "soft", " is not shown here")];
    case "notice":
      return [icon("notice"), make("span", event.level === "error" ? "bad" : "", event.text)];
  }
};
