import type { Entry, Event } from "../../src/events.ts";
import { randomFrom } from "../../test/random.ts";
import { block, cardOf } from "./stream.ts";

/** A past answer: some text and one card. */
export interface Past {
  readonly question: string;
  readonly text: string;
  readonly card: Extract<ReturnType<typeof cardOf>, { kind: "card" }>;
}

/** This many questions and answers, always the same. */
export const history = (answers: number): Past[] => {
  const random = randomFrom(1000);
  return Array.from({ length: answers }, (_, index) => {
    const card = cardOf(random);
    if (card.kind !== "card") throw new Error("a card is a card");
    return { question: `Question ${index}`, text: block(random) + block(random), card };
  });
};

export const CONVERSATION = "long";

/** The history as a file that the page imports: one conversation with a run for each answer. */
export const historyFile = (past: readonly Past[]): string => {
  const at = Date.UTC(2026, 0, 1);
  const messages: unknown[] = [];
  const runs: Record<string, Entry[]> = {};
  const chosen: Record<string, string> = {};
  let parent: string | undefined;
  const add = (message: { id: string }) => {
    messages.push({ ...message, ...(parent !== undefined && { parent }), at });
    chosen[parent ?? ""] = message.id;
    parent = message.id;
  };
  for (const [index, { question, text, card }] of past.entries()) {
    const run = `past-${index}`;
    const content = [{ type: "text" as const, text: question }];
    add({ id: `question-${index}`, role: "user", content } as { id: string });
    const [asked, ran] = cardEvents("c", card);
    const events: Event[] = [
      { type: "run-start", protocol: 1, run, name: "bench", message: { role: "user", content } },
      { type: "step-start", step: "s" },
      { type: "text-start", part: "t" },
      { type: "text-delta", part: "t", delta: text },
      { type: "text-end", part: "t" },
      ...asked,
      { type: "step-end", step: "s", finish: "tools" },
      ...ran,
      { type: "run-end", outcome: "done", answer: ["t"] },
    ];
    runs[run] = events.map((event, place) => ({ seq: place + 1, at: at + place, event }));
    const output = [{ role: "assistant", content: [{ type: "text", text }] }];
    add({ id: `answer-${index}`, role: "assistant", run, settings: {}, outcome: "done", output } as { id: string });
  }
  const conversation = { id: CONVERSATION, title: "Long", named: true, createdAt: at, updatedAt: at, chosen, messages };
  return JSON.stringify({ format: "runcast-conversations", version: 2, conversations: [conversation], runs });
};

/** The events of a successful call during its step, and after it. */
export const cardEvents = (call: string, { name, input, output }: Past["card"]): readonly [Event[], Event[]] => [
  [
    { type: "tool-start", call, name },
    { type: "tool-input-delta", call, delta: input.slice(0, 12) },
    { type: "tool-input-delta", call, delta: input.slice(12) },
    { type: "tool-input-end", call },
  ],
  [
    { type: "tool-execute", call },
    { type: "tool-end", call, outcome: "ok", content: [{ type: "text", text: output }] },
  ],
];
