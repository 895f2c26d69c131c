import { visibleText } from "runcast/markdown";

/** Plain text. */
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
