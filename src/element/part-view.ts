import type { PartNode } from "../state.ts";
import { describeText, describeThinking } from "../view.ts";
import { icon } from "./icon.ts";
import { make, setText } from "./make.ts";
import { createMarkdownView } from "./markdown-view.ts";
import type { Scene, View } from "./scene.ts";

export const createTextView = (): View<PartNode> => {
  const { element: text, show } = createMarkdownView();
  const cut = make("p", "soft");
  const element = make("div", "part", text, cut);
  return {
    element,
    show: (node) => {
      const { isOver, isReplaced, isEmpty, note } = describeText(node);
      show(node.text, isOver);
      setText(cut, note);
      element.hidden = isReplaced || (isEmpty && note === "");
    },
  };
};

/** Open while the model is thinking and closed afterwards, unless the user toggled it. */
export const createThinkingView = ({ clock }: Scene): View<PartNode> => {
  const { element: text, show } = createMarkdownView();
  const words = make("span");
  const time = make("span", "soft time");
  const summary = make("summary", "", icon("thought"), words, time);
  const element = make("details", "thinking", summary, text);
  let isTouched = false;
  summary.addEventListener("click", () => (isTouched = true));
  return {
    element,
    show: (node) => {
      const { isOver, title, time: since, note } = describeThinking(node);
      show(note || node.text, isOver);
      setText(words, title);
      clock.show(time, since);
      if (!isTouched) element.open = !isOver;
    },
  };
};
