import { counted, duration, usageText } from "../amounts.ts";
import type { RunState } from "../state.ts";
import { type Piece, line } from "./line.ts";
import { type ViewOptions, outcomeMark, problemLines, spinner } from "./node-lines.ts";
import { oneLine, terminalText, wrap } from "./terminal-text.ts";
import { createTranscript } from "./transcript.ts";

/** How a run looks at one moment: everything that stands, and of what still moves as much as fits `height`. */
export const render = (state: RunState, options: ViewOptions & { readonly height: number }): string[] => {
  const transcript = createTranscript(state);
  const lines = [...headLines(state, options), ...transcript.settled(options)];
  return [...lines, ...transcript.live(options), ...footLines(state, options)];
};

/** Who runs, and what was asked. Empty before the run's first entry. */
export const headLines = (state: RunState, options: ViewOptions): string[] => {
  if (state.run === undefined) return [];
  const model = state.model ? `  ${oneLine(state.model)}` : "";
  const head = line(
    [
      ["bold", oneLine(state.root.name)],
      ["dim", `${model}  run ${oneLine(state.run)}`],
    ],
    options,
  );
  const message = (state.message?.content ?? []).map((part) => (part.type === "text" ? part.text : `[${part.type}]`));
  const asked = terminalText(message.join("\n")).trim();
  const rows = asked === "" ? [] : wrap(asked, options.width - 2);
  const shown = rows.slice(0, MESSAGE_ROWS).map((words) => line([["cyan", "> "], words], options));
  if (rows.length > MESSAGE_ROWS) shown.push(line([["dim", `> … ${rows.length - MESSAGE_ROWS} more lines`]], options));
  return [head, ...shown];
};

const MESSAGE_ROWS = 6;

/** How we know what we show. */
export interface Known {
  readonly text: string;
  /** Whether we hear of everything as it happens. If not, nothing may look as if it moved. */
  readonly isLive: boolean;
}

/** What goes on in the run as a whole, or how it ended. */
export const footLines = (state: RunState, options: ViewOptions & { readonly known?: Known }): string[] => {
  const { known = { text: "", isLive: true } } = options;
  if (state.startedAt === undefined) return known.text ? [line([["dim", known.text]], options)] : [];
  const took = duration((state.endedAt ?? options.now) - state.startedAt);
  const usage = usageText(state.usage);
  const { outcome } = state;
  if (outcome === undefined) {
    const { status } = state.root;
    const doing = status ? oneLine(status) : "at work";
    const pieces: Piece[] = known.isLive
      ? [
          ["cyan", `${spinner(options.now)} ${doing}`],
          ["dim", `  ${took}`],
          ["dim", known.text && `  ${known.text}`],
        ]
      : [
          ["yellow", `○ ${known.text}`],
          ["dim", `  last seen ${doing}, ${took}`],
        ];
    return [line([...pieces, ["dim", usage && `  ${usage}`]], options)];
  }
  const within = outcome === "interrupted" ? "" : ` in ${took}`;
  const lines = [line([outcomeMark(outcome), " ", ["bold", outcome], within, ["dim", usage && `  ${usage}`]], options)];
  if (state.error) lines.push(...problemLines(state.error, options));
  if (state.awaiting.length > 0)
    lines.push(line([["yellow", `${counted(state.awaiting.length, "call")} for the client to run`]], options));
  return lines;
};
