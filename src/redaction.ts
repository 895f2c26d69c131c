import type { Event, Message } from "./events.ts";
import { cleanBytes } from "./redaction/bytes.ts";
import { Cleaner, plain } from "./redaction/cleaner.ts";
import { cleanEvent, cleanEventSync } from "./redaction/events.ts";
import { isKeyField, type Preset, PRESETS, type Rule } from "./redaction/rules.ts";
import { compileRules, type Found, REDACTED, Scanner } from "./redaction/scanner.ts";
import { Streams } from "./redaction/streams.ts";
import type { Redactor, RunRequest, Source } from "./source.ts";

/** Rules for what must not be stored. */
export interface RedactionRules {
  /** `keys`: API keys, tokens, passwords and private keys. `emails`, `phones` and `cards` are detected by their format. */
  readonly presets?: readonly Preset[];
  /** Literal texts, and regular expressions without lookaround and backreferences. Of a pattern with a group `secret`, only that is removed. */
  readonly patterns?: readonly (string | RegExp)[];
  /** Names of fields in arguments, results and data whose values are removed, in any spelling: `cardNumber` matches `card_number`. */
  readonly fields?: readonly string[];
}

/**
 * Returns the same agent, but everything that the rules match is replaced by `[redacted]` before it is stored, so no viewer
 * ever sees it. The agent itself works with the original text. Its runs cannot continue in another process, because the log
 * lacks what that would need. Throws for invalid rules.
 */
export const redactAgent = (source: Source, rules: RedactionRules): Source => {
  const { presets = [], patterns = [], fields = [] } = rules;
  for (const preset of presets)
    if (!Object.hasOwn(PRESETS, preset))
      throw new TypeError(`there is no preset ${String(preset)}; use one of ${Object.keys(PRESETS).join(", ")}`);
  const program = compileRules([
    ...presets.flatMap((preset): readonly Rule[] => PRESETS[preset]),
    ...patterns.map((pattern) => ({ name: "configured text", pattern: patternOf(pattern) })),
  ]);
  const names = new Set(fields.map(plain));
  const redaction = () => createRedactor(new Cleaner(program, names, presets.includes("keys")));
  const { resume: _, follows: __, ...rest } = source;
  return Object.assign(source.bind(undefined), rest, { redaction });
};

const patternOf = (given: string | RegExp): RegExp => {
  if (typeof given !== "string") return given;
  if (given === "") throw new TypeError("a text to redact must not be empty");
  return new RegExp(given.replace(/[$()*+.?[\\\]^{|}/]/g, String.raw`\$&`));
};

const createRedactor = (cleaner: Cleaner): Redactor => {
  const streams = new Streams(cleaner);
  const clean = async (event: Event): Promise<readonly Event[]> => {
    if ("delta" in event) return streams.take(event);
    const held = streams.before(event);
    const input = event.type === "tool-input-end" ? await streams.input(event.call) : undefined;
    return [...held, ...(input ?? [await cleanEvent(event, cleaner)])];
  };
  return {
    async *events(events) {
      for await (const event of events) yield* await clean(event);
      yield* streams.rest();
    },
    event: (event) => cleanEventSync(event, cleaner),
    request: async ({ messages, system, settings, metadata, ...rest }): Promise<RunRequest> => ({
      ...rest,
      messages: await Promise.all(messages.map((message) => cleanMessage(message, cleaner))),
      ...(system !== undefined && { system: await cleaner.text(system) }),
      ...(settings && { settings: await cleaner.json(settings) }),
      ...(metadata && { metadata: await cleaner.json(metadata) }),
    }),
    bytes: (bytes, mediaType) => cleanBytes(typeof bytes === "string" ? Buffer.from(bytes) : bytes, mediaType, cleaner),
    notice: () => {
      const counts = [...cleaner.counts].map(([name, count]) => `${count} × ${name}`);
      if (counts.length === 0) return undefined;
      return { type: "notice", level: "info", text: `Removed before storage: ${counts.join(", ")}.` };
    },
  };
};

const cleanMessage = async (message: Message, cleaner: Cleaner): Promise<Message> => {
  const content: Message["content"] = [];
  for (const part of message.content) {
    if (part.type !== "file") content.push(await cleaner.json(part));
    else if (part.data === undefined) content.push(part);
    else {
      const data = await cleanBytes(Buffer.from(part.data, "base64"), part.mediaType, cleaner);
      content.push({ ...part, data: Buffer.from(data).toString("base64") });
    }
  }
  return { ...message, content };
};

export { isKeyField, REDACTED };

const KEYS = compileRules(PRESETS.keys);
const SLICE = 8 * 1024;

/** The positions and kinds of keys, tokens and passwords in a text, in order. Takes time linear in the length of the text. */
export const findKeys = (text: string): { readonly start: number; readonly end: number; readonly kind: string }[] => {
  const places: { start: number; end: number; kind: string }[] = [];
  const add = ({ start, end, rule }: Found): void => {
    const last = places.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else places.push({ start, end, kind: rule.kind ?? rule.name });
  };
  const scanner = new Scanner(KEYS, () => {}, add);
  for (let at = 0; at < text.length; at += SLICE) scanner.push(text.slice(at, at + SLICE));
  scanner.end();
  return places.filter(({ start, end }) => text.slice(start, end) !== REDACTED);
};
