import { setImmediate } from "node:timers/promises";
import type { EventOf, Message, Part } from "../events.ts";
import type { Log } from "../log.ts";
import type { RunRequest } from "../source.ts";
import { createAnswer } from "../state.ts";
import { wholeResults } from "./whole-results.ts";

const BATCH = 64;
/** Of larger results, only the head and tail from the event are included. */
const RESULT_BYTES = 1024 * 1024;

/** The conversation up to the end of a run: the messages of its request, and its agent's messages, calls and results. */
export const historyOf = async (log: Log, run: string): Promise<Message[]> => {
  const event = (await log.read(run, 0, 1))[0]?.event;
  const asked = event?.type === "run-start" ? await requestMessages(log, run, event) : [];
  return [...asked, ...(await answerOf(log, run))];
};

/** What a run adds to its conversation. */
export const answerOf = async (log: Log, run: string): Promise<Message[]> => {
  const answer = createAnswer();
  for (let after = 0; ;) {
    const entries = await wholeResults(log, run, RESULT_BYTES, await log.read(run, after, BATCH));
    if (entries.length === 0) break;
    await setImmediate();
    for (const entry of entries) answer.take(entry);
    after = entries.at(-1)!.seq;
  }
  return answer.messages();
};

/** The messages of a run's request. References to files work from other runs. */
export const requestMessages = async (log: Log, run: string, start: EventOf<"run-start">): Promise<Message[]> =>
  (await askedWith(log, run, start)).messages.map((message) => ofRun(message, run));

/** The request of a run, as far as a dialect can repeat it. */
export const requestOf = async (log: Log, run: string): Promise<Pick<RunRequest, "messages" | "metadata">> => {
  const event = (await log.read(run, 0, 1))[0]?.event;
  if (event?.type !== "run-start") return { messages: [] };
  const asked = await askedWith(log, run, event);
  // Inlines files, because the reader of this request cannot fetch them.
  const inLined = async (message: Message) => ({
    ...message,
    content: await Promise.all(message.content.map((part) => inLine(log, run, part))),
  });
  return { ...asked, messages: await Promise.all(asked.messages.map(inLined)) };
};

const askedWith = async (
  log: Log,
  run: string,
  { request, message }: EventOf<"run-start">,
): Promise<Pick<RunRequest, "messages" | "metadata">> => {
  const stored = request && (await bytesOf(log, run, request.file));
  if (stored) return JSON.parse(stored.toString("utf8")) as RunRequest;
  return { messages: message ? [message] : [] };
};

/** Makes file references work from another run. */
export const ofRun = (message: Message, run: string): Message => ({
  ...message,
  content: message.content.map((part) => (part.type === "file" && part.file !== undefined ? { run, ...part } : part)),
});

const inLine = async (log: Log, run: string, part: Part): Promise<Part> => {
  if (part.type !== "file" || part.file === undefined) return part;
  const { file, run: of = run, bytes: _, ...rest } = part;
  const bytes = await bytesOf(log, of, file);
  return bytes ? { ...rest, data: bytes.toString("base64") } : part;
};

const bytesOf = async (log: Log, run: string, file: string): Promise<Buffer | undefined> => {
  const stored = await log.get(run, file);
  return stored && Buffer.concat(await Array.fromAsync(stored.bytes));
};
