import { readdirSync } from "node:fs";
import path from "node:path";
import { answerSchema, eventSchema } from "../../src/events.ts";
import { Refusal } from "../../src/source.ts";
import { Decoder } from "../../src/sources/langgraph/decoder.ts";
import { protocolEventOf } from "../../src/sources/langgraph/protocol.ts";
import { idsOf } from "../../src/sources/upstream/agent-writer.ts";
import { expectRun } from "../frameworks/fuzzed-run.ts";
import { createMutator } from "../mutate.ts";
import { randomFrom } from "../random.ts";
import { type Line, linesIn, replay } from "./recording.ts";

const directory = path.join(import.meta.dirname, "recordings");
const recordings = readdirSync(directory).map((file) => linesIn(path.join(directory, file)));

const parsed = (data: string): Line[] => {
  try {
    const line = JSON.parse(data) as Line | null;
    return typeof line === "object" && line !== null ? [line] : [];
  } catch {
    return [];
  }
};

/** Answers come from Runcast, so they always have a valid shape. */
const isAnswer = (line: Line): boolean => !("answer" in line) || answerSchema.safeParse(line.answer).success;

/** Plays a mutated recording, as broken or hostile servers could produce it. */
export const langgraphCase = async (seed: number): Promise<void> => {
  const frames = recordings[seed % recordings.length]!.map((line) => ({ data: JSON.stringify(line) }));
  const lines = createMutator(seed)
    .frames(frames)
    .flatMap(({ data }) => parsed(data))
    .filter(isAnswer);
  try {
    const { events, responses } = replay(lines);
    for (const event of events) eventSchema.parse(event);
    JSON.stringify(responses);
    if (seed % 20 === 0) await expectRun(events);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
};

/** Feeds one decoder with events of ever new graphs, calls and interrupts. */
export const feedLanggraph = (seed: number): ((count: number) => void) => {
  const random = randomFrom(seed);
  const decoder = new Decoder(idsOf("fed"), "fed");
  decoder.event({ method: "lifecycle", namespace: [], data: { event: "running" } });
  const events = recordings
    .flatMap((lines) => lines.flatMap((line) => ("event" in line ? [protocolEventOf(line.event)!] : [])))
    .filter(({ method, namespace }) => method !== "lifecycle" || namespace.length > 0);
  return (count) => {
    for (let index = 0; index < count; index++) {
      const event = events[Math.floor(random() * events.length)]!;
      const id = Math.floor(random() * 1e9);
      const namespace = random() < 0.5 ? event.namespace : event.namespace.map((part) => `${part}${id}`);
      const data = {
        ...event.data,
        ...("tool_call_id" in event.data && { tool_call_id: `t${id}` }),
        ...("interrupt_id" in event.data && { interrupt_id: `i${id}` }),
      };
      try {
        decoder.event({ ...event, namespace, data });
        decoder.takeFiles();
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    }
  };
};
