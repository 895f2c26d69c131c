import { readdirSync } from "node:fs";
import path from "node:path";
import { answerSchema, eventSchema } from "../../src/events.ts";
import { Decoder } from "../../src/sources/agno/decoder.ts";
import { idsOf } from "../../src/sources/upstream/agent-writer.ts";
import { Refusal } from "../../src/source.ts";
import { expectRun } from "../frameworks/fuzzed-run.ts";
import { createMutator } from "../mutate.ts";
import { randomFrom } from "../random.ts";
import { type Line, linesIn, replay } from "./recording.ts";

const directory = path.join(import.meta.dirname, "recordings");
const recordings = readdirSync(directory).map((file) => linesIn(path.join(directory, file)));

const parsed = (data: string): Line[] => {
  try {
    const line = JSON.parse(data) as Line | null;
    const isLine = typeof line === "object" && line !== null && ["frame", "steps", "answer"].some((key) => key in line);
    return [isLine ? line : { raw: data }];
  } catch {
    return [{ raw: data }];
  }
};

/** Plays a mutated recording, as broken or hostile servers could produce it. */
export const agnoCase = async (seed: number): Promise<void> => {
  const frames = recordings[seed % recordings.length]!.map((line) => ({ data: JSON.stringify(line) }));
  const lines = createMutator(seed)
    .frames(frames)
    .flatMap(({ data }) => parsed(data))
    .filter((line) => !("answer" in line) || isAnswer(line.answer));
  try {
    const { events } = replay(lines, { isSlow: seed % 2 === 0 });
    for (const event of events) eventSchema.parse(event);
    if (seed % 20 === 0) await expectRun(events);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
};

/** Answers come from Runcast, so they always have a valid shape. */
const isAnswer = (answer: unknown): boolean => answerSchema.safeParse(answer).success;

/** Feeds one decoder with frames of ever new runs and calls. */
export const feedAgno = (seed: number): ((count: number) => void) => {
  const random = randomFrom(seed);
  const decoder = new Decoder(idsOf("fed"));
  const frames = recordings.flatMap((lines) => lines.flatMap((line) => ("frame" in line ? [line.frame as any] : [])));
  return (count) => {
    for (let index = 0; index < count; index++) {
      const { event_index: _, ...frame } = frames[Math.floor(random() * frames.length)]!;
      if (/^(Team)?(Run|Workflow)(Completed|Error|Cancelled)$/.test(frame.event) && !frame.parent_run_id) continue;
      const id = Math.floor(random() * 1e9);
      const run = random() < 0.5 ? frame.run_id : `r${id}`;
      const other = { ...frame, run_id: run, ...(frame.tool && { tool: { ...frame.tool, tool_call_id: `t${id}` } }) };
      try {
        decoder.frame(JSON.stringify(other));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    }
  };
};
