import { counted, diffOf, visibleText } from "runcast/view";
import { DiffView } from "../diff-view.tsx";
import type { Shape } from "../shape.ts";

const HEAD = /^--- \S.*\n\+\+\+ \S.*\n@@ -\d/m;
const LOOKED_AT = 20_000;
const MAX_LINES = 2000;

/** A unified diff: file by file if the text contains nothing else, otherwise as colored lines. */
export const diff: Shape = {
  label: "Show as diff",
  show: ({ text }) => {
    if (text === undefined) return undefined;
    if (diffOf(text)) return <DiffView text={text} />;
    return HEAD.test(text.slice(0, LOOKED_AT)) ? <MixedDiff text={text} /> : undefined;
  },
};

const MixedDiff = ({ text }: { readonly text: string }) => {
  const lines = text.replace(/\n$/, "").split("\n");
  const left = lines.length - MAX_LINES;
  return (
    <pre
      tabIndex={0}
      role="group"
      aria-label="Result as diff"
      data-diff
      className="max-h-96 overflow-auto rounded-md bg-sunken py-1.5 font-mono text-xs leading-5"
    >
      {lines.slice(0, MAX_LINES).map((line, index) => (
        // Lines have no ids and never change.
        // oxlint-disable-next-line react/no-array-index-key
        <span key={index} className={`block min-w-fit px-2.5 ${colorOf(line)}`}>
          {visibleText(line) || " "}
        </span>
      ))}
      {left > 0 && <span className="block px-2.5 text-soft">{counted(left, "more line")}</span>}
    </pre>
  );
};

const colorOf = (line: string): string => {
  if (/^(?:diff |index |--- |\+\+\+ )/.test(line)) return "font-medium";
  if (line.startsWith("@@")) return "text-accent";
  if (line.startsWith("+")) return "text-ok";
  return line.startsWith("-") ? "text-bad" : "";
};
