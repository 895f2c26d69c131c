import { useMemo, useState } from "react";
import { parsed, shapeOfText, visibleText } from "runcast/view";
import { Markdown } from "../markdown/markdown.tsx";
import { ValueView } from "./value-view.tsx";

/** A tool's text, read as what it looks like, or as it came. */
export const TextResult = ({ text }: { readonly text: string }) => {
  const shape = useMemo(() => shapeOfText(text), [text]);
  const [isPlain, setIsPlain] = useState(false);
  if (shape === "plain") return <PlainText text={text} />;
  return (
    <div>
      {isPlain ? (
        <PlainText text={text} />
      ) : shape === "json" ? (
        <ValueView value={parsed(text)} />
      ) : (
        <div
          className="max-h-96 overflow-auto rounded-md border border-line px-3 py-2"
          tabIndex={0}
          role="group"
          aria-label="Result as text"
        >
          <Markdown text={text} done />
        </div>
      )}
      <button
        type="button"
        onClick={() => setIsPlain(!isPlain)}
        className="mt-1 cursor-pointer text-xs text-accent underline"
      >
        {isPlain ? (shape === "json" ? "Show as data" : "Show formatted") : "Show as it came"}
      </button>
    </div>
  );
};

/** Text as it is. */
export const PlainText = ({ text, label = "Result as text" }: { readonly text: string; readonly label?: string }) => (
  <pre
    tabIndex={0}
    role="group"
    aria-label={label}
    className="max-h-80 overflow-auto rounded-md bg-sunken px-2.5 py-1.5 font-mono text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
  >
    {visibleText(text)}
  </pre>
);
