import { AnsiText } from "../ansi-text.tsx";
import type { Shape } from "../shape.ts";

// oxlint-disable-next-line no-control-regex
const COLOR = /\u001b\[[\d;]*m/;
const LOOKED_AT = 20_000;
const SHOWN = 200_000;

/** Command output with terminal colors. */
export const terminal: Shape = {
  label: "Show as terminal output",
  show: ({ text }) =>
    text === undefined || !COLOR.test(text.slice(0, LOOKED_AT)) ? undefined : (
      <pre
        tabIndex={0}
        role="group"
        aria-label="Result as terminal output"
        data-terminal
        className="max-h-80 overflow-auto rounded-md bg-sunken px-2.5 py-1.5 font-mono text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        <AnsiText text={text.slice(0, SHOWN)} />
      </pre>
    ),
};
