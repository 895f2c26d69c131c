import type { ReactNode } from "react";
import type { Block } from "runcast/markdown";
import { useCopy } from "../../kit/copy-button.tsx";
import { useHighlighting } from "../highlight.ts";
import { HighlightingContext } from "./code-lines.tsx";

interface CodeViewProps {
  readonly block: Block;
  /** The views of its pieces. */
  readonly children: ReactNode;
}

export const CodeView = ({ block, children }: CodeViewProps) => (
  <div className="md-code">
    <div className="md-code-head">
      <span>{block.mark || "text"}</span>
      <CopyCode text={() => block.children.map(({ text }) => text).join("")} />
    </div>
    {/* Makes it scrollable with the keyboard. */}
    <pre tabIndex={0} dir="ltr">
      <code>
        <HighlightingContext value={useHighlighting(block)}>{children}</HighlightingContext>
      </code>
    </pre>
  </div>
);

const CopyCode = ({ text }: { readonly text: () => string }) => {
  const { status, copy } = useCopy(text);
  return (
    <button type="button" onClick={copy} aria-live="polite">
      {status || "Copy"}
    </button>
  );
};
