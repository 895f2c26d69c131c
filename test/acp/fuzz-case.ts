import { readdirSync } from "node:fs";
import path from "node:path";
import { eventSchema } from "../../src/events.ts";
import { Refusal } from "../../src/source.ts";
import { Decoder } from "../../src/sources/acp/decoder.ts";
import { verify } from "../../src/verify.ts";
import { createMutator } from "../mutate.ts";
import { randomFrom } from "../random.ts";
import { type Line, linesIn, logOf, replay } from "./recording.ts";

const directory = path.join(import.meta.dirname, "recordings");
const recordings = readdirSync(directory).map((file) => linesIn(path.join(directory, file)));

const parsed = (data: string): Line[] => {
  try {
    const line = JSON.parse(data) as Line | null;
    return typeof line?.message === "object" && line.message !== null ? [line] : [];
  } catch {
    return [];
  }
};

/**
 * Plays a mutated recording, as broken or hostile agents could produce it. The decoder must emit events that a runner
 * turns into a run.
 */
export const acpCase = async (seed: number): Promise<void> => {
  const frames = recordings[seed % recordings.length]!.map((line) => ({ data: JSON.stringify(line) }));
  const lines = createMutator(seed)
    .frames(frames)
    .flatMap(({ data }) => parsed(data));
  const prompts = (() => {
    try {
      return replay(lines);
    } catch (error) {
      if (error instanceof Refusal) return [];
      throw error;
    }
  })();
  for (const prompt of prompts) {
    for (const event of prompt.events) eventSchema.parse(event);
    if (seed % 20 > 0 || prompt.events.length === 0) continue;
    const entries = await logOf(prompt);
    const wrong = verify(entries);
    if (wrong) throw new Error(`the run is not grammatical: ${JSON.stringify(wrong)}`);
    const end = entries.at(-1)?.event;
    if (end?.type === "run-end" && end.error?.code === "invalid-event")
      throw new Error(`the decoder broke the grammar: ${end.error.message}`);
  }
};

/** Feeds one decoder with updates of ever new calls, like an agent that never ends. */
export const feedAcp = (seed: number, count: number, decoder: Decoder): void => {
  const random = randomFrom(seed);
  const updates = recordings.flatMap((lines) => lines.flatMap(({ message }) => message?.params?.update ?? []));
  for (let index = 0; index < count; index++) {
    const update = updates[Math.floor(random() * updates.length)];
    try {
      decoder.update({ ...update, ...(update.toolCallId && { toolCallId: `t${Math.floor(random() * 1e9)}` }) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
};

export const newDecoder = (): Decoder => {
  let count = 0;
  return new Decoder({ newId: (kind) => `${kind}${++count}` });
};
