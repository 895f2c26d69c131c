import type { AskAnswer, Command, Decoder, Dialect } from "../../../dialect.ts";
import type { Event, Message } from "../../../events.ts";
import { createAnswer } from "../../../state.ts";

type Start = Extract<Command, { do: "start" }>;

/** A client's copy of the conversation, for protocols that send answers to asks with the next request. */
export interface Turns {
  /** Decodes a stream and stores the agent's messages and asks. A stream from the beginning of the run discards what was stored. */
  decoder(from: "beginning" | "here"): Decoder;
  start(message: string): Start;
  /** Replaces the conversation with what an app saved. */
  restore(message: string, events: readonly Event[]): void;
  /** The request that carries the answer to an ask. */
  answering(ask: string, answer: AskAnswer["answer"]): Start;
}

export const createTurns = (dialect: Dialect, thread: string, agent: string | undefined): Turns => {
  let asked: Message[] = [];
  let answer = createAnswer();
  let seq = 0;
  const calls = new Map<string, string | undefined>();

  const remember = (event: Event): void => {
    if (event.type === "ask-start") calls.set(event.ask, event.call);
    answer.take({ seq: ++seq, at: 0, event });
  };
  const start = (messages: Message[], more: Partial<Start> = {}): Start => ({
    do: "start",
    request: { thread, run: `${thread}-${asked.length}`, messages, ...(agent !== undefined && { agent }) },
    ...more,
  });

  return {
    decoder(from) {
      if (from === "beginning") {
        answer = createAnswer();
        seq = 0;
      }
      const decode = dialect.decode();
      const noted = (events: readonly Event[]): readonly Event[] => {
        for (const event of events) remember(event);
        return events;
      };
      return Object.assign((frame: Parameters<Decoder>[0]) => noted(decode(frame)), {
        ...(decode.pause && { pause: () => noted(decode.pause?.() ?? []) }),
      });
    },
    start(message) {
      asked = [{ role: "user", content: [{ type: "text", text: message }] }];
      return start(asked);
    },
    restore(message, events) {
      asked = [{ role: "user", content: [{ type: "text", text: message }] }];
      answer = createAnswer();
      for (const event of events) remember(event);
    },
    answering(ask, answered) {
      const call = calls.get(ask);
      const answers = [{ ask, answer: answered, ...(call !== undefined && { call }) }];
      return start([...asked, ...answer.messages()], { answers });
    },
  };
};
