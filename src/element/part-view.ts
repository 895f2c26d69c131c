import { duration } from "../amounts.ts";
import type { PartNode } from "../state.ts";
import { icon } from "./icon.ts";
import { make, setText } from "./make.ts";
import { createMarkdownView } from "./markdown-view.ts";
import type { Scene, View } from "./scene.ts";

export const createTextView = (): View<PartNode> => {
  const { element: text, show } = createMarkdownView();
  const cut = make("p", "soft", "(cut off)");
  const element = make("div", "part", text, cut);
  return {
    element,
    show: (node) => {
      show(node.text, node.endedAt !== undefined);
      cut.hidden = !node.cut;
      element.hidden = node.replacedBy !== undefined || (node.text === "" && !node.cut);
    },
  };
};

/** Open while it is thought, closed after that, unless the reader has opened or closed it. */
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
      const { startedAt, endedAt, redacted, cut } = node;
      show(redacted && node.text === "" ? "The provider keeps this to itself." : node.text, endedAt !== undefined);
      setText(words, endedAt === undefined ? "Thinking" : cut ? "Thinking was cut off after" : "Thought for");
      if (endedAt === undefined) clock.start(time, startedAt);
      else {
        clock.stop(time);
        setText(time, duration(endedAt - startedAt));
      }
      if (!isTouched) element.open = endedAt === undefined;
    },
  };
};
