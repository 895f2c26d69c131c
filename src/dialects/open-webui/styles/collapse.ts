import type { Item } from "../output.ts";
import { type Call, type CreateShow, type Frames, isOk, type Result } from "../show.ts";
import { codeSpan, escapeHtml, jsonBytes, nameText, plain, preview, TEXT_BYTES } from "../text.ts";
import { cut } from "../whole-characters.ts";

const PREVIEW = 200;
const MOST_OF_A_TEXT = 4000;

/** One line of the steps: a text, or what the agent said before it called tools, which may go on. */
type Line = string | { readonly parts: readonly string[] };

/**
 * All steps in one message, line by line while they run, and as one block that can be opened when the answer is there; the answer in
 * another. What the agent says is the answer as long as no call follows in the same step.
 */
export const collapse: CreateShow = ({ output }) => {
  const lines: Line[] = [];
  const texts = new Map<string, string>();
  const tools = new Map<string, Call>();
  /** Which line a tool's own words are. */
  const places = new Map<string, number>();
  const thoughts = new Map<string, string>();
  let items: { readonly steps: Item; readonly answer: Item } | undefined;
  let calls = 0;
  /** The parts of the answer, or of what may become it. */
  let answerParts: string[] = [];
  let shownSteps = "";
  let isFolded = false;
  /** The step that said it has ended: whatever comes then is more than the answer. */
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
    return text === "" ? "" : `**🤖 AI:** ${preview(text, MOST_OF_A_TEXT)}`;
  };

  const showSteps = (): Frames => {
    if (!items) return [];
    const all = latest(lines.map(lineText).filter((line) => line !== ""));
    // A block around nothing would show its own markup.
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

  /** What was said was not the answer: a call follows. */
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
      // Only the last part can simply go on, and only once it stands there.
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

/** An agent's words as they are, but for tags, which they may have from who knows where; anything else in code. */
const resultLine = (call: Call, result: Result): string => {
  const text = plain(cut(result.text, MOST_OF_A_TEXT * 4)).trim();
  if (!isOk(result)) return `✗ ${codeSpan(preview(text, PREVIEW))}`;
  if (text === "") return "✓ completed";
  if (!call.isTask) return codeSpan(preview(text, PREVIEW));
  return preview(text, MOST_OF_A_TEXT * 2, `… (the whole: ${result.link})`).replaceAll("<", "\\<");
};

/** As many of the latest lines as one line of the stream can hold. */
const latest = (lines: readonly string[]): string[] => {
  let bytes = 0;
  const first = lines.findLastIndex((line) => (bytes += jsonBytes(escapeHtml(line)) + 4) > TEXT_BYTES);
  return first < 0 ? [...lines] : ["…", ...lines.slice(first + 1)];
};

/** One block. Its body is decoded once before it is read. */
const folded = (lines: readonly string[], calls: number): string => {
  const summary = `🔍 Execution Steps (${calls} ${calls === 1 ? "tool" : "tools"})`;
  return `<details>\n<summary>${summary}</summary>\n\n${escapeHtml(lines.join("\n\n"))}\n\n</details>\n\n`;
};
