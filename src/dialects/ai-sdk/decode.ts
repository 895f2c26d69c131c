import { type Fields, fieldsOf, parseFields } from "../../json.ts";
import type { Frame } from "../../dialect.ts";
import type { Event, Finish, Json } from "../../events.ts";
import { PROTOCOL } from "../../protocol.ts";
import { finishOf } from "../ai-sdk-protocol/finish.ts";
import { readData } from "./decode-data.ts";
import { createTranscript } from "./transcript.ts";

/**
 * Decodes the chunks of any server of this family. Its calls count as run by the provider, because the protocol never
 * reports when a call executes: `tool-execute` is emitted only when a preliminary output proves it. Skips chunks that
 * are not JSON and unknown ones.
 *
 * - In the SDK, a step lasts until its tools are done. In our events, it ends with the model's output.
 * - A `finish` while an ask is open ends a segment, not the run.
 */
export const createDecoder = (): ((frame: Frame) => readonly Event[]) => {
  const transcript = createTranscript();
  let phase: "before" | "running" | "ended" = "before";
  /** Delays the end of a step until the next chunk, because only the last chunk contains the finish reason. */
  let isStepOver = false;
  /** The message's metadata so far, as JSON by key. Some apps repeat all of it in every chunk. */
  const metadata = new Map<string, string>();

  const begin = (messageId: unknown): Event[] => {
    if (phase !== "before") return [];
    phase = "running";
    const run = typeof messageId === "string" && messageId !== "" ? messageId.slice(0, 256) : "remote";
    return [{ type: "run-start", protocol: PROTOCOL, run, name: "remote" }];
  };

  const settleStep = (finish?: Finish): Event[] => {
    if (!isStepOver) return [];
    isStepOver = false;
    return transcript.endStep(finish);
  };

  const finishRun = (reason: unknown): Event[] => {
    const finish = typeof reason === "string" ? finishOf(reason) : undefined;
    const events = [...settleStep(finish), ...transcript.endStep(finish)];
    if (transcript.isAsking) return events;
    phase = "ended";
    if (reason === "error")
      return [
        ...events,
        { type: "run-end", outcome: "error", error: { code: "upstream-error", message: "The agent failed." } },
      ];
    if (reason === "interrupted") return [...events, { type: "run-end", outcome: "interrupted" }];
    const { ends, awaiting } = transcript.endCalls();
    return [...events, ...ends, { type: "run-end", outcome: "done", ...(awaiting.length > 0 && { awaiting }) }];
  };

  const take = (type: string, chunk: Fields): Event[] => {
    const id = idOf(chunk["id"]);
    const call = idOf(chunk["toolCallId"]);
    switch (type) {
      case "start":
        return [];
      case "start-step":
        return transcript.startStep();
      case "finish-step":
        isStepOver = transcript.isInStep;
        return [];
      case "text-start":
      case "reasoning-start":
        return id === undefined ? [] : transcript.startPart(kindOf(type), id, metaOf(chunk["providerMetadata"]));
      case "text-delta":
      case "reasoning-delta": {
        const { delta } = chunk;
        return id === undefined || typeof delta !== "string" ? [] : transcript.moreOfPart(kindOf(type), id, delta);
      }
      case "text-end":
      case "reasoning-end":
        return id === undefined ? [] : transcript.endPart(kindOf(type), id, metaOf(chunk["providerMetadata"]));
      case "tool-input-start":
        return call === undefined ? [] : transcript.startCall(call, chunk);
      case "tool-input-delta": {
        const { inputTextDelta: delta } = chunk;
        return call === undefined || typeof delta !== "string" ? [] : transcript.moreInput(call, delta);
      }
      case "tool-input-available":
        return call === undefined ? [] : transcript.endInput(call, chunk);
      case "tool-input-error":
        return call === undefined
          ? []
          : [...transcript.endInput(call, chunk), ...transcript.fail(call, chunk["errorText"])];
      case "tool-approval-request": {
        const ask = idOf(chunk["approvalId"]);
        return call === undefined || ask === undefined ? [] : transcript.approve(call, ask, chunk["reason"]);
      }
      case "tool-approval-response": {
        const ask = idOf(chunk["approvalId"]);
        return ask === undefined ? [] : transcript.answer(ask, chunk["approved"] === true, chunk["reason"]);
      }
      case "tool-output-available":
        if (call === undefined) return [];
        return chunk["preliminary"] === true
          ? transcript.progress(call, chunk["output"] as Json)
          : transcript.succeed(call, chunk["output"] as Json);
      case "tool-output-error":
        return call === undefined ? [] : transcript.fail(call, chunk["errorText"]);
      case "tool-output-denied":
        return call === undefined ? [] : transcript.deny(call);
      case "source-url":
      case "source-document":
        return readSource(chunk);
      case "file":
      case "reasoning-file":
        return readFile(chunk);
      default:
        return type.startsWith("data-") ? readData(type, chunk, transcript) : [];
    }
  };

  const end = (type: string, chunk: Fields): Event[] | undefined => {
    if (type === "finish") return finishRun(chunk["finishReason"]);
    if (type !== "error" && type !== "abort") return undefined;
    phase = "ended";
    const reason = chunk[type === "error" ? "errorText" : "reason"];
    const message = typeof reason === "string" && reason !== "" ? reason : `the agent ended with ${type}`;
    return type === "error"
      ? [{ type: "run-end", outcome: "error", error: { code: "upstream-error", message } }]
      : [{ type: "run-end", outcome: "cancelled", error: { code: "cancelled", message } }];
  };

  /** What an app attaches to its message, such as the model and the tokens. Later chunks add to it. */
  const takeMetadata = ({ messageMetadata }: Fields): Event[] => {
    const isFirst = metadata.size === 0;
    const added = Object.entries(fieldsOf(messageMetadata)).filter(([key, value]) => {
      const text = JSON.stringify(value);
      const isKnown = metadata.get(key) === text;
      metadata.set(key, text);
      return !isKnown;
    });
    if (added.length === 0) return [];
    if (isFirst) return [{ type: "data", name: "metadata", value: messageMetadata as Json }];
    const patch = added.map(([key, value]) => ({ op: "add", path: `/${escaped(key)}`, value: value as Json }));
    return [{ type: "data", name: "metadata", patch }];
  };

  return ({ data }) => {
    if (phase === "ended") return [];
    // Some servers send this without a `finish` chunk.
    if (data === "[DONE]") return phase === "before" || transcript.isAsking ? [] : finishRun(undefined);
    const chunk = parseFields(data);
    const type = chunk?.["type"];
    if (!chunk || typeof type !== "string") return [];
    const begun = [...begin(type === "start" ? chunk["messageId"] : undefined), ...takeMetadata(chunk)];
    const ended = end(type, chunk);
    if (ended) return [...begun, ...ended];
    return [...begun, ...(settles(type) ? settleStep() : []), ...take(type, chunk)];
  };
};

/** A key in a JSON pointer. */
const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

/** Whether a chunk cannot belong to a step that has been reported as finished. */
const settles = (type: string): boolean => type !== "start" && type !== "message-metadata" && !type.startsWith("data-");

const kindOf = (type: string): "text" | "thinking" => (type.startsWith("text") ? "text" : "thinking");

const idOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value.slice(0, 240) : undefined;

/** Provider metadata: unchanged, or unwrapped if it is ours. */
const metaOf = (metadata: unknown): Json | undefined => {
  if (typeof metadata !== "object" || metadata === null) return undefined;
  const { meta } = fieldsOf(fieldsOf(metadata)["runcast"]);
  return (meta ?? metadata) as Json;
};

const readSource = ({ sourceId, url, title }: Fields): Event[] => {
  const citation = idOf(sourceId);
  if (citation === undefined) return [];
  return [
    {
      type: "citation",
      citation,
      ...(typeof title === "string" && { title }),
      ...(typeof url === "string" && { url }),
    },
  ];
};

const readFile = ({ url, mediaType }: Fields): Event[] => {
  if (typeof url !== "string") return [];
  const name = url.startsWith("data:") ? "file" : (/([^/?#]+)(?:[?#].*)?$/s.exec(url)?.[1] ?? "file");
  return [{ type: "file", name: name.slice(0, 256), url, ...(typeof mediaType === "string" && { mediaType }) }];
};
