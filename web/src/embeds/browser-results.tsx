import type { Part } from "runcast/events";
import { GatedFrame } from "./gated-frame.tsx";

export interface BrowserResultsProps {
  readonly content: readonly Part[];
  readonly pages: Readonly<Record<string, string>> | undefined;
}

/** The results of this browser's own tools. */
export const BrowserResults = ({ content, pages = {} }: BrowserResultsProps) => (
  <div className="flex flex-col gap-2">
    {content.map((part) =>
      part.type === "result" ? (
        <section key={part.call} aria-label={`Result of ${part.name ?? part.call}`} className="text-sm">
          <p className={part.error ? "text-bad" : "text-soft"}>
            {part.name ?? part.call} {part.error ? "failed in this browser" : "ran in this browser"}
          </p>
          {Object.hasOwn(pages, part.call) ? (
            <GatedFrame
              html={pages[part.call]!}
              title={`Page from ${part.name ?? part.call}`}
              holder={`the tool ${part.name ?? part.call}`}
            />
          ) : (
            <pre className="max-h-60 overflow-auto rounded-lg bg-sunken p-3 text-xs whitespace-pre-wrap" tabIndex={0}>
              {part.content.map((piece) => (piece.type === "text" ? piece.text : JSON.stringify(piece))).join("\n")}
            </pre>
          )}
        </section>
      ) : null,
    )}
  </div>
);
