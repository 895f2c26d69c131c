import { useEffect, useState } from "react";
import type { Block } from "runcast/markdown";
import { useHighlighting } from "../highlight.ts";
import { childrenOf } from "./block-children.tsx";
import { HighlightingContext } from "./code-lines.tsx";

export const CodeView = ({ block }: { readonly block: Block }) => (
  <div className="md-code">
    <div className="md-code-head">
      <span>{block.mark || "text"}</span>
      <CopyButton text={() => block.children.map(({ text }) => text).join("")} />
    </div>
    {/* Scrolls, also by the keyboard. */}
    <pre tabIndex={0} dir="ltr">
      <code>
        <HighlightingContext value={useHighlighting(block)}>{childrenOf(block)}</HighlightingContext>
      </code>
    </pre>
  </div>
);

const CopyButton = ({ text }: { readonly text: () => string }) => {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), 2000);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () => {
    navigator.clipboard.writeText(text()).then(
      () => setSaid("Copied"),
      () => setSaid("Could not copy"),
    );
  };
  return (
    <button type="button" onClick={copy} aria-live="polite">
      {said || "Copy"}
    </button>
  );
};
