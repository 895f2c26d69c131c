import type { Item } from "../output.ts";
import { type Call, type CreateShow, type Frames, isOk, type Result } from "../show.ts";
import { codeSpan, escapeHtml, jsonBytes, nameText, plain, preview, TEXT_BYTES } from "../text.ts";
import { cut } from "../whole-characters.ts";

const PREVIEW = 200;
const MAX_OF_A_TEXT = 4000;

/** A line of the steps: a text, or the agent's text before its calls, which may still grow. */
type Line = string | { readonly parts: readonly string[] };

/**
 * All steps in one message: line by line while they run, then as one collapsible block once the answer is there. The
 * answer is another message. The agent's text is the answer unless a call follows in the same step.
 */
export const collapse: CreateShow = ({ output }) => {
  const lines: Line[] = [];
  const texts = new Map<string, string>();
  const tools = new Map<string, Call>();
  /** The line of each tool's own text. */
  const places = new Map<string, number>();
  const thoughts = new Map<string, string>();
  let items: { readonly steps: Item; readonly answer: Item } | undefined;
  let calls = 0;
  /** The parts of the answer, or of text that may become the answer. */
  let answerParts: string[] = [];
  let shownSteps = "";
  let isFolded = false;
  /** The step with the answer has ended, so any further text makes it a step. */
  let isSettled = false;

  const begin = (): Frames => {
    if (items) return [];
    const message = { type: "message", role: "assistant", status: "in_progress" };
    const steps = output.add({ id: "msg_steps", ...message });
    const answer = output.add({ id: "msg_answer", ...message });
    items = { steps: steps.item, answer: answer.item };
    return [...steps.frames, ...answer.frames];
  };

  const joined = (parts: readonly string[]): string =>
    parts
      .map((part) => texts.get(part) ?? "")
      .filter((text) => text.trim() !== "")
      .join("\n\n");

  const lineText = (line: Line): string => {
    if (typeof line === "string") return line;
    const text = joined(line.parts).trim();
    return text === "" ? "" : `**🤖 AI:** ${preview(text, MAX_OF_A_TEXT)}`;
  };

  const showSteps = (): Frames => {
    if (!items) return [];
    const all = latest(lines.map(lineText).filter((line) => line !== ""));
    // An empty block would show its own markup.
    const text = isFolded && all.length > 0 ? folded(all, calls) : all.join("\n\n");
    const before = shownSteps;
    shownSteps = text;
    if (text === before) return [];
    return text.startsWith(before)
      ? output.write(items.steps, text.slice(before.length))
      : output.swap(items.steps, text);
  };

  const step = (line: Line): Frames => {
    const before = begin();
    lines.push(line);
    return [...before, ...showSteps()];
  };

  const fold = (): Frames => {
    if (isFolded || lines.length === 0) return [];
    isFolded = true;
    return showSteps();
  };

  /** The text was not the answer, because a call follows. Moves it to the steps. */
  const move = (): Frames => {
    isSettled = false;
    if (!items || answerParts.length === 0) return [];
    const parts = answerParts;
    answerParts = [];
    return [...(joined(parts) === "" ? [] : output.swap(items.answer, "")), ...step({ parts })];
  };

  const showAnswer = (): Frames => (items ? output.swap(items.answer, joined(answerParts)) : []);

  return {
    startText(part, { call, replaces }) {
      texts.set(part, "");
      if (call) {
        tools.set(part, call);
        const place = replaces === undefined ? undefined : places.get(replaces);
        if (place === undefined) return [];
        places.set(part, place);
        lines[place] = "";
        return showSteps();
      }
      const before = [...(isSettled ? move() : []), ...begin()];
      const place = replaces === undefined ? -1 : answerParts.indexOf(replaces);
      answerParts = [...answerParts.filter((one) => one !== replaces), part];
      return place < 0 ? before : [...before, ...showAnswer()];
    },
    text(part, delta) {
      const text = texts.get(part);
      if (text === undefined || delta === "") return [];
      texts.set(part, text + delta);
      if (tools.has(part)) return [];
      if (!items || !answerParts.includes(part)) return showSteps();
      // Appending works only for the last part, and only once it is shown.
      return part === answerParts.at(-1) && text.trim() !== "" ? output.write(items.answer, delta) : showAnswer();
    },
    endText(part) {
      const call = tools.get(part);
      tools.delete(part);
      const text = texts.get(part) ?? "";
      if (!call || text.trim() === "") return [];
      const line = `**🔧 ${nameText(call.label)}:** ${codeSpan(preview(text, PREVIEW))}`;
      const place = places.get(part);
      if (place === undefined) {
        places.set(part, lines.length);
        return step(line);
      }
      lines[place] = line;
      return showSteps();
    },
    startThinking(part) {
      thoughts.set(part, "");
      return [];
    },
    thinking(part, delta) {
      const text = thoughts.get(part);
      if (text !== undefined && text.length <= PREVIEW) thoughts.set(part, text + delta);
      return [];
    },
    endThinking(part) {
      const text = thoughts.get(part) ?? "";
      thoughts.delete(part);
      return text.trim() === "" ? [] : step(`**💭 Thinking:** ${codeSpan(preview(text, PREVIEW))}`);
    },
    startCall: (call) => (call.isProvider ? [] : move()),
    readyCall: () => [],
    executeCall: () => [],
    endCall(call, result) {
      calls++;
      return step(`**🔧 ${nameText(call.label)}:** ${resultLine(call, result)}`);
    },
    endStep(hadCalls) {
      if (hadCalls) return move();
      isSettled = true;
      return fold();
    },
    end: () => [...fold(), ...output.finish()],
    will: () => [],
  };
};

/** Shows an agent's text unchanged except for escaped tags, which may come from anywhere. Shows anything else as code. */
const resultLine = (call: Call, result: Result): string => {
  const text = plain(cut(result.text, MAX_OF_A_TEXT * 4)).trim();
  if (!isOk(result)) return `✗ ${codeSpan(preview(text, PREVIEW))}`;
  if (text === "") return "✓ completed";
  if (!call.isTask) return codeSpan(preview(text, PREVIEW));
  return preview(text, MAX_OF_A_TEXT * 2, `… (full text: ${result.link})`).replaceAll("<", "\\<");
};

/** As many of the latest lines as fit into one line of the stream. */
const latest = (lines: readonly string[]): string[] => {
  let bytes = 0;
  const first = lines.findLastIndex((line) => (bytes += jsonBytes(escapeHtml(line)) + 4) > TEXT_BYTES);
  return first < 0 ? [...lines] : ["…", ...lines.slice(first + 1)];
};

/** One block. Open WebUI decodes its body once before rendering it. */
const folded = (lines: readonly string[], calls: number): string => {
  const summary = `🔍 Execution Steps (${calls} ${calls === 1 ? "tool" : "tools"})`;
  return `<details>\n<summary>${summary}</summary>\n\n${escapeHtml(lines.join("\n\n"))}\n\n</details>\n\n`;
};
