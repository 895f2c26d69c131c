import { type ReactNode, createContext, memo, useCallback, useContext, useRef, useSyncExternalStore } from "react";
import { type Block, visibleText } from "runcast/markdown";
import type { Highlighting } from "../highlight.ts";
import { COLORS } from "../highlight/messages.ts";
import { useGrowing } from "./use-growing.ts";

export const HighlightingContext = createContext<Highlighting | undefined>(undefined);

/** Lines of code: highlighted where the colors are known, otherwise plain. */
export const CodeLines = ({ piece }: { readonly piece: Block }) => {
  const highlighting = useContext(HighlightingContext)!;
  const { index, text } = piece;
  const subscribe = useCallback(
    (listener: () => void) => highlighting.subscribe(index, listener),
    [highlighting, index],
  );
  const colors = useSyncExternalStore(subscribe, () => highlighting.lines(index));
  const shown: ReactNode[] = [];
  let from = 0;
  for (const [line, stretches] of colors.entries()) {
    const end = text.indexOf("\n", from);
    const next = end < 0 ? text.length : end + 1;
    shown.push(<ColoredLine key={line} text={text.slice(from, next)} stretches={stretches} />);
    from = next;
  }
  const plain = visibleText(text.slice(from));
  const element = useRef<HTMLSpanElement>(null);
  useGrowing(piece, {
    place: () => element.current,
    shown: plain,
    next: () => {
      highlighting.update();
      return visibleText(piece.text.slice(from));
    },
  });
  return (
    <span ref={element} className="md-lines">
      {shown}
      {plain}
    </span>
  );
};

const ColoredLine = memo(({ text, stretches }: { readonly text: string; readonly stretches: readonly number[] }) => {
  const shown: ReactNode[] = [];
  let at = 0;
  let plain = "";
  for (let index = 0; index < stretches.length; index += 2) {
    const part = text.slice(at, (at += stretches[index]!));
    const color = COLORS[stretches[index + 1]!];
    if (color === undefined) {
      plain += part;
      continue;
    }
    if (plain) shown.push(visibleText(plain));
    plain = "";
    shown.push(
      <span key={index} className={`md-${color}`}>
        {visibleText(part)}
      </span>,
    );
  }
  shown.push(visibleText(plain + text.slice(at)));
  return shown;
});
