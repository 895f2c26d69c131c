import { useMemo, useState } from "react";
import { type DiffLine, diffOf, type FileDiff, visibleText } from "runcast/view";
import { CopyButton } from "../kit/copy-button.tsx";

const FIRST_LINES = 200;

/** A diff as in an editor: each file with its lines, line numbers where known, and the number of added and removed lines. */
export const DiffView = ({ text }: { readonly text: string }) => {
  const files = useMemo(() => diffOf(text) ?? [], [text]);
  return (
    <div className="flex min-w-0 flex-col gap-2" data-diff>
      {files.map((file, index) => (
        // Files of a diff have no ids and never change.
        // oxlint-disable-next-line react/no-array-index-key
        <OneFile key={index} file={file} text={text} />
      ))}
    </div>
  );
};

const OneFile = ({ file, text }: { readonly file: FileDiff; readonly text: string }) => {
  const [isWhole, setIsWhole] = useState(false);
  const lines = isWhole ? file.lines : file.lines.slice(0, FIRST_LINES);
  const isNumbered = file.lines.some(({ before, after }) => before !== undefined || after !== undefined);
  return (
    <div
      role="group"
      aria-label={`Changes to ${visibleText(file.path)}`}
      className="min-w-0 overflow-hidden rounded-md border border-line bg-card"
    >
      <div className="flex min-h-7 items-center gap-2 border-b border-line bg-sunken px-2.5 text-xs">
        <span className="min-w-0 flex-1 truncate font-mono" title={file.path}>
          {visibleText(file.path)}
        </span>
        {file.change !== "changed" && <span className="text-soft">{file.change}</span>}
        <span className="shrink-0 tabular-nums">
          <span className="text-ok">+{file.added}</span> <span className="text-bad">−{file.removed}</span>
        </span>
        <CopyButton what="diff" text={() => text} />
      </div>
      <div className="relative max-h-96 overflow-auto" tabIndex={0} role="group" aria-label="Changed lines">
        <table className="diff w-full border-collapse font-mono text-xs leading-5">
          <tbody>
            {lines.map((line, index) => (
              // oxlint-disable-next-line react/no-array-index-key
              <Row key={index} line={line} isNumbered={isNumbered} />
            ))}
          </tbody>
        </table>
      </div>
      {lines.length < file.lines.length && (
        <button
          type="button"
          onClick={() => setIsWhole(true)}
          className="w-full cursor-pointer border-t border-line px-2.5 py-1 text-left text-xs text-accent underline"
        >
          Show all {file.lines.length} lines
        </button>
      )}
    </div>
  );
};

const SIGNS = { same: " ", added: "+", removed: "−", gap: "" } as const;
const WORDS = { same: "", added: "added", removed: "removed", gap: "" } as const;

const Row = ({ line, isNumbered }: { readonly line: DiffLine; readonly isNumbered: boolean }) => {
  const { kind, text, before, after } = line;
  if (kind === "gap")
    return (
      <tr>
        <td colSpan={4} className="border-y border-line bg-sunken px-2.5 text-soft select-none">
          ⋯
        </td>
      </tr>
    );
  return (
    <tr data-line={kind}>
      {isNumbered && <td className="diff-number">{before}</td>}
      {isNumbered && <td className="diff-number">{after}</td>}
      <td className="w-5 pl-2 text-soft select-none">
        <span aria-hidden>{SIGNS[kind]}</span>
        <span className="sr-only">{WORDS[kind]}</span>
      </td>
      <td className="pr-2.5 whitespace-pre-wrap [overflow-wrap:anywhere]">{visibleText(text)}</td>
    </tr>
  );
};
