import { Markdown } from "../../markdown/markdown.tsx";
import { shapeOfText } from "runcast/view";
import type { Shape } from "../shape.ts";

/** Text with Markdown markup. */
export const markdown: Shape = {
  label: "Show formatted",
  show: ({ text, value }) =>
    text === undefined || value !== undefined || shapeOfText(text) !== "markdown" ? undefined : (
      <div
        className="max-h-96 overflow-auto rounded-md border border-line px-3 py-2"
        tabIndex={0}
        role="group"
        aria-label="Result as text"
      >
        <Markdown text={text} done />
      </div>
    ),
};
