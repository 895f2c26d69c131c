import type { Item } from "./output.ts";
import { type Call, type CreateShow, type Frames, isOk, type Result } from "./show.ts";
import { codeSpan, escapeHtml, fitting, nameText, preview, TEXT_BYTES } from "./text.ts";

const PREVIEW = 200;
const MOST_OF_A_TEXT = 4000;

/**
 * All steps in one message, line by line while they run, and as one block that can be opened when the answer is there; the answer in
 * another. What the agent says is the answer as long as no call follows in the same step.
 */
export const collapse: CreateShow = ({ output }) => {
  const lines: string[] = [];
  const texts = new Map<string, { readonly call: Call | undefined; text: string }>();
  const thoughts = new Map<string, string>();
  let items: { readonly steps: Item; readonly answer: Item } | undefined;
  let tools = 0;
  /** The parts of the answer, or of what may become it. */
  let said: string[] = [];
  let isFolded = false;
  /** The step that said it has ended: whatever comes then is more than the answer. */
  let isSettled = false;

  const begin = (): { items: { readonly steps: Item; readonly answer: Item }; frames: Frames } => {
    if (items) return { items, frames: [] };
    const message = { type: "message", role: "assistant", status: "in_progress" };
    const steps = output.add({ id: "msg_steps", ...message });
    const answer = output.add({ id: "msg_answer", ...message });
    items = { steps: steps.item, answer: answer.item };
    return { items, frames: [...steps.frames, ...answer.frames] };
  };

  const step = (line: string): Frames => {
    const { items: known, frames } = begin();
    lines.push(line);
    return [
      ...frames,
      ...(isFolded ? output.swap(known.steps, folded(lines, tools)) : output.write(known.steps, `${line}\n\n`)),
    ];
  };

  const fold = (): Frames => {
    if (!items || isFolded || lines.length === 0) return [];
    isFolded = true;
    return output.swap(items.steps, folded(lines, tools));
  };

  /** What was said was not the answer: a call follows. */
  const move = (): Frames => {
    const text = said.map((part) => texts.get(part)?.text ?? "").join("\n\n");
    for (const part of said) texts.delete(part);
    said = [];
    isSettled = false;
    if (!items || text === "") return [];
    const line = `**🤖 AI:** ${preview(text.trim(), MOST_OF_A_TEXT)}`;
    return [...output.swap(items.answer, ""), ...(text.trim() === "" ? [] : step(line))];
  };

  return {
    startText(part, { call, replaces }) {
      texts.set(part, { call, text: "" });
      if (call) return [];
      const before = isSettled ? move() : [];
      const { items: known, frames } = begin();
      const place = replaces === undefined ? -1 : said.indexOf(replaces);
      if (place < 0) {
        const gap = said.length > 0 ? output.write(known.answer, "\n\n") : [];
        said.push(part);
        return [...before, ...frames, ...gap];
      }
      said = [...said.slice(0, place), part];
      const kept = said.slice(0, place).map((one) => `${texts.get(one)?.text ?? ""}\n\n`);
      return [...before, ...frames, ...output.swap(known.answer, kept.join(""))];
    },
    text(part, delta) {
      const text = texts.get(part);
      if (!text || delta === "") return [];
      text.text += delta;
      return text.call || !items || !said.includes(part) ? [] : output.write(items.answer, delta);
    },
    endText(part) {
      const text = texts.get(part);
      if (!text?.call) return [];
      texts.delete(part);
      return text.text.trim() === ""
        ? []
        : step(`**🔧 ${nameText(text.call.label)}:** ${codeSpan(preview(text.text, PREVIEW))}`);
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
    startCall: () => move(),
    readyCall: () => [],
    executeCall: () => [],
    endCall(call, result) {
      tools++;
      return step(`**🔧 ${nameText(call.label)}:** ${resultLine(call, result)}`);
    },
    endStep(hadCalls) {
      if (hadCalls) return move();
      isSettled = true;
      return fold();
    },
    end: () => [...fold(), ...output.snapshot()],
    will: () => [],
  };
};

/** An agent's words as they are, anything else in code. */
const resultLine = (call: Call, result: Result): string => {
  const text = result.text.trim();
  if (text === "") return "✓ completed";
  if (!isOk(result)) return `✗ ${codeSpan(preview(text, PREVIEW))}`;
  return call.isTask
    ? preview(text, MOST_OF_A_TEXT * 4, `… (the whole: ${result.link})`)
    : codeSpan(preview(text, PREVIEW));
};

/** One block; if it would be too long, without its oldest lines. Its body is decoded once before it is read. */
const folded = (lines: readonly string[], tools: number): string => {
  const shown: string[] = [];
  let bytes = 0;
  for (const line of lines.toReversed()) {
    const text = escapeHtml(line.slice(0, fitting(line, TEXT_BYTES / 2)));
    bytes += new TextEncoder().encode(JSON.stringify(text)).length + 4;
    if (bytes > TEXT_BYTES) {
      shown.push("…");
      break;
    }
    shown.push(text);
  }
  const summary = `🔍 Execution Steps (${tools} ${tools === 1 ? "tool" : "tools"})`;
  return `<details>\n<summary>${summary}</summary>\n\n${shown.toReversed().join("\n\n")}\n\n</details>\n\n`;
};
