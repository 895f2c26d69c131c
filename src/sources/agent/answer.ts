import type {
  LanguageModelV4Citation,
  LanguageModelV4Source,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
  SharedV4Warning,
} from "@ai-sdk/provider";
import type { CallOutcome, Finish, Json, Usage } from "../../events.ts";
import { MAX_COST } from "../../protocol.ts";
import { truncated } from "./problem.ts";
import { type AssistantPart, metaOf, optionsOf } from "./prompt.ts";
import type { Worker } from "./running.ts";
import { type GuardedCall, type PendingCall, type StreamedCalls, streamedCalls } from "./streamed-calls.ts";

type StreamPart = LanguageModelV4StreamPart;
type Finished = Extract<StreamPart, { type: "finish" }>;

/** A model's response in one step: converts its stream into events and into the message that goes back to the model. */
export interface ModelAnswer {
  /** Returns a promise only if a part needs time, such as bytes to store. Throws the model's errors. */
  take(part: StreamPart): Promise<void> | undefined;
  /** Ends what the model left open. */
  close(): void;
  /** Ends everything open as cut off. */
  cut(outcome: CallOutcome): void;
  /** Whether text or a call has been shown, so the step can no longer be retried. */
  readonly shown: boolean;
  readonly finished:
    | {
        readonly finish: Finish;
        readonly usage: Usage | undefined;
        readonly meta: Json | undefined;
        /** The provider paused the turn and wants to continue its own tool calls. */
        readonly paused: boolean;
      }
    | undefined;
  readonly content: AssistantPart[];
  readonly calls: readonly PendingCall[];
  readonly guarded: readonly GuardedCall[];
}

export const answer = (worker: Worker): ModelAnswer => {
  const { run, emit } = worker;
  const content: AssistantPart[] = [];
  const open = { text: new Map<string, OpenPart>(), thinking: new Map<string, OpenPart>() };
  const calls: StreamedCalls = streamedCalls(worker, content);
  const cited: LanguageModelV4Source[] = [];
  let shown = false;
  let finished: ModelAnswer["finished"];

  const start = (kind: OpenPart["kind"], id: string, metadata: SharedV4ProviderMetadata | undefined): OpenPart => {
    if (kind === "text") shown = true;
    const message = { type: kind === "text" ? "text" : "reasoning", text: "" } as OpenPart["message"];
    const opened: OpenPart = { kind, part: run.fresh("part"), message, sources: [] };
    open[kind].set(id, opened);
    content.push(message);
    remember(opened, metadata);
    const { part } = opened;
    if (kind === "text") emit({ type: "text-start", part, ...metaOf(metadata) });
    else emit({ type: "thinking-start", part, ...(isRedacted(metadata) && { redacted: true }), ...metaOf(metadata) });
    return opened;
  };
  const extend = (kind: OpenPart["kind"], { id, delta, providerMetadata }: Delta): void => {
    const found = open[kind].get(id) ?? start(kind, id, undefined);
    found.message.text += delta;
    if (delta === "" && !providerMetadata) return;
    const event = {
      type: kind === "text" ? ("text-delta" as const) : ("thinking-delta" as const),
      part: found.part,
      delta,
    };
    if (!providerMetadata) return emit(event);
    remember(found, providerMetadata);
    emit({ ...event, ...metaOf(providerMetadata) });
  };
  const end = (kind: OpenPart["kind"], id: string, metadata?: SharedV4ProviderMetadata): string | undefined => {
    const found = open[kind].get(id);
    if (!found) return undefined;
    open[kind].delete(id);
    remember(found, metadata);
    emit({ type: kind === "text" ? "text-end" : "thinking-end", part: found.part, ...metaOf(metadata) });
    return found.part;
  };
  const cite = (source: LanguageModelV4Source, place: { part?: string; range?: [number, number]; text?: string }) =>
    emit({
      type: "citation",
      citation: run.fresh("citation"),
      ...sourceFields(source),
      ...place,
      ...metaOf(source.providerMetadata),
    });
  const closeParts = (cut: boolean) => {
    for (const { kind, part, sources } of [...open.text.values(), ...open.thinking.values()]) {
      emit({ type: kind === "text" ? "text-end" : "thinking-end", part, ...(cut && { cut }) });
      for (const source of sources) cite(source, { part });
    }
    open.text.clear();
    open.thinking.clear();
  };

  const warn = (text: string) => {
    if (run.warned.has(text)) return;
    run.warned.add(text);
    emit({ type: "notice", level: "warning", text: run.redact(text) });
  };

  const keepFile = async (part: Extract<StreamPart, { type: "file" }>): Promise<void> => {
    const { mediaType, data, providerMetadata } = part;
    content.push({ type: "file", mediaType, data, ...optionsOf(providerMetadata) });
    const name = `${run.fresh("file")}.${/^\w+\/([\w-]+)/.exec(mediaType)?.[1] ?? "bin"}`;
    const file = { type: "file" as const, name, mediaType, change: "created" as const, ...metaOf(providerMetadata) };
    if (data.type === "url") return emit({ ...file, url: data.url.href });
    const bytes = typeof data.data === "string" ? Buffer.from(data.data, "base64") : data.data;
    const kept = await run.context.put(bytes, { mediaType, name });
    emit({ ...file, file: kept.file, bytes: kept.bytes });
  };

  return {
    take(part) {
      switch (part.type) {
        case "text-delta":
          return extend("text", part) as undefined;
        case "reasoning-delta":
          return extend("thinking", part) as undefined;
        case "text-start":
          return void start("text", part.id, part.providerMetadata) as undefined;
        case "reasoning-start":
          return void start("thinking", part.id, part.providerMetadata) as undefined;
        case "text-end": {
          const sources = open.text.get(part.id)?.sources ?? [];
          const ended = end("text", part.id, part.providerMetadata);
          const citations = part.citations ?? [];
          for (const citation of citations) cite(citation.source, placeOf(citation, ended));
          cited.push(...citations.map(({ source }) => source));
          // A source that arrived during the text may appear again as the source of a citation.
          for (const source of sources)
            if (!citations.some((citation) => isSame(citation.source, source)))
              cite(source, ended === undefined ? {} : { part: ended });
          return undefined;
        }
        case "reasoning-end":
          return void end("thinking", part.id, part.providerMetadata) as undefined;
        case "source": {
          const [within] = open.text.values();
          if (within) within.sources.push(part);
          // Libraries repeat the sources of citations at the end.
          else if (!cited.some((source) => isSame(source, part))) cite(part, {});
          return undefined;
        }
        case "file":
          shown = true;
          return keepFile(part);
        case "reasoning-file":
          content.push({
            type: part.type,
            mediaType: part.mediaType,
            data: part.data,
            ...optionsOf(part.providerMetadata),
          });
          return undefined;
        case "custom":
          content.push({ type: part.type, kind: part.kind, ...optionsOf(part.providerMetadata) });
          return undefined;
        case "stream-start":
          for (const warning of part.warnings) warn(warningText(warning));
          return undefined;
        case "finish":
          finished = {
            finish: FINISH[part.finishReason.unified],
            usage: usageOf(part),
            meta: part.providerMetadata as Json,
            paused: part.finishReason.raw === "pause_turn",
          };
          if (part.finishReason.unified === "interrupted") throw truncated();
          return undefined;
        case "error":
          throw part.error;
        default: {
          const isCall = calls.take(part);
          if (isCall) shown = true;
          return typeof isCall === "boolean" ? undefined : isCall.then(() => {});
        }
      }
    },
    close() {
      closeParts(false);
      calls.close();
      const kept = content.filter((part) => !("text" in part) || part.text !== "" || part.providerOptions);
      content.splice(0, content.length, ...kept);
    },
    cut(outcome) {
      closeParts(true);
      calls.cut(outcome);
    },
    get shown() {
      return shown;
    },
    get finished() {
      return finished;
    },
    content,
    calls: calls.pending,
    guarded: calls.guarded,
  };
};

interface OpenPart {
  readonly kind: "text" | "thinking";
  readonly part: string;
  readonly message: Extract<AssistantPart, { type: "text" | "reasoning" }>;
  readonly sources: LanguageModelV4Source[];
}
interface Delta {
  readonly id: string;
  readonly delta: string;
  readonly providerMetadata?: SharedV4ProviderMetadata;
}

const FINISH: Record<Finished["finishReason"]["unified"], Finish> = {
  stop: "stop",
  "tool-calls": "tools",
  length: "length",
  "content-filter": "filter",
  error: "error",
  interrupted: "other",
  other: "other",
};

const usageOf = ({ usage: { inputTokens, outputTokens, raw } }: Finished): Usage | undefined => {
  const counts = {
    input: inputTokens.total,
    output: outputTokens.total,
    reasoning: outputTokens.reasoning,
    cached: inputTokens.cacheRead,
    cost: costOf(raw?.["cost"]),
  };
  const known = Object.entries(counts).filter(([, count]) => count !== undefined);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
};

/** Some providers report what a request cost, in US dollars. */
const costOf = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 && value <= MAX_COST ? value : undefined;

const warningText = (warning: SharedV4Warning): string => {
  switch (warning.type) {
    case "other":
      return warning.message;
    case "deprecated":
      return `${warning.setting} is deprecated: ${warning.message}`;
    default: {
      const what = warning.type === "unsupported" ? "The model does not support" : "The model only emulates";
      return `${what} ${warning.feature}${warning.details ? `: ${warning.details}` : "."}`;
    }
  }
};

/** Thinking that the provider does not reveal. Its encrypted data goes back to the provider as metadata. */
const isRedacted = (metadata: SharedV4ProviderMetadata | undefined): boolean =>
  Object.values(metadata ?? {}).some((fields) => "redactedData" in fields);

const remember = ({ message }: OpenPart, metadata: SharedV4ProviderMetadata | undefined): void => {
  if (metadata) message.providerOptions = metadata as SharedV4ProviderOptions;
};
const sourceFields = (source: LanguageModelV4Source): { title?: string; url?: string } => ({
  ...(source.title !== undefined && { title: source.title }),
  ...(source.sourceType === "url" && { url: source.url }),
});
const isSame = (one: LanguageModelV4Source, other: LanguageModelV4Source): boolean =>
  one.sourceType === "url" && other.sourceType === "url" ? one.url === other.url : one.title === other.title;
const placeOf = ({ startIndex, endIndex, citedText }: LanguageModelV4Citation, part: string | undefined) => ({
  ...(part !== undefined && { part }),
  ...(startIndex !== undefined && endIndex !== undefined && { range: [startIndex, endIndex] as [number, number] }),
  ...(citedText !== undefined && { text: citedText }),
});
