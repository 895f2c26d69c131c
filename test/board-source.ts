import type { Source } from "../src/source.ts";

const usage = { input: 1204, output: 332 };

/** Does what the message requests: asks, fails, works until it is stopped, is cut off, or answers. */
export const boardSource: Source = async function* ({ messages }, { answerTo, signal }) {
  const [part] = messages.at(-1)!.content;
  const text = part?.type === "text" ? part.text : "";
  yield { type: "step-start", step: "s" };
  yield { type: "step-end", step: "s", finish: /too much/i.test(text) ? "length" : "stop", usage };
  if (/fail/i.test(text)) throw new Error("The model's quota is used up.");
  if (/approve/i.test(text)) {
    yield { type: "step-start", step: "t" };
    yield { type: "tool-start", call: "c", name: "send_mail" };
    yield { type: "tool-input-end", call: "c", input: { to: "team@example.org", subject: "Quarterly report" } };
    yield { type: "step-end", step: "t", finish: "tools", usage };
    yield { type: "ask-start", ask: "a", kind: "approval", call: "c", title: "Allow send_mail?" };
    const { answer } = await answerTo("a");
    if (answer && "allow" in answer && answer.allow) yield { type: "tool-execute", call: "c" };
    const isAllowed = answer !== undefined && "allow" in answer && answer.allow;
    yield isAllowed
      ? { type: "tool-end", call: "c", outcome: "ok", value: "sent" }
      : { type: "tool-end", call: "c", outcome: "denied" };
  }
  if (!/work/i.test(text)) return;
  yield { type: "status", text: "Reading 214 files" };
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
};
