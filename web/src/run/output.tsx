import { useLayoutEffect, useRef } from "react";
import { amount, describeCommand, visibleText } from "runcast/view";
import type { CallNode } from "runcast/state";
import { AnsiText } from "./ansi-text.tsx";
import { CopyButton } from "../kit/copy-button.tsx";
import { Label } from "../kit/label.tsx";

const LIVE = 3000;

/** A tool's live output: only the tail while it is running, everything that was kept once it is over. */
export const Output = ({ call, isLive }: { readonly call: CallNode; readonly isLive: boolean }) => {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  });
  if (call.output.length === 0) return null;
  const { command, end } = describeCommand(call);
  const total = call.outputLength.stdout + call.outputLength.stderr;
  const pieces = lastOf(call.output, isLive ? LIVE : Infinity);
  const shown = pieces.reduce((sum, piece) => sum + piece.text.length, 0);
  return (
    <div role="group" aria-label="Output" data-output>
      <Label
        text={shown < total ? `Output: the last ${amount(shown)} of ${amount(total)} characters` : "Output"}
        beside={<CopyButton what="output" text={() => call.output.map((piece) => piece.text).join("")} />}
      />
      <pre
        ref={box}
        // Makes it scrollable with the keyboard.
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Tool output"
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
        }}
        className="max-h-52 overflow-auto rounded-md bg-sunken px-2.5 py-1.5 font-mono text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        {command !== undefined && (
          <span className="text-soft" data-command>
            <span aria-hidden className="select-none">
              ${" "}
            </span>
            <span className="text-ink">{visibleText(command)}</span>
            {"\n"}
          </span>
        )}
        {pieces.map((piece, index) => (
          <span key={index} data-stream={piece.stream} className={piece.stream === "stderr" ? "text-bad" : undefined}>
            <AnsiText text={piece.text} />
          </span>
        ))}
      </pre>
      {end && (
        <p className={`mt-1 text-xs ${end.failed ? "text-bad" : "text-soft"}`} data-exit>
          {visibleText(end.text)}
        </p>
      )}
    </div>
  );
};

type Pieces = CallNode["output"];

const lastOf = (pieces: Pieces, most: number): Pieces => {
  const last: Pieces = [];
  let room = most;
  for (let index = pieces.length - 1; index >= 0 && room > 0; index--) {
    const piece = pieces[index]!;
    last.unshift(piece.text.length > room ? { ...piece, text: piece.text.slice(-room) } : piece);
    room -= piece.text.length;
  }
  return last;
};
