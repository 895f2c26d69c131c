import type { EncodeOptions, Frame } from "../../dialect.ts";
import type { Entry, Event, EventOf, Json, Usage } from "../../events.ts";
import type { EventsAbout } from "../../protocol.ts";
import { answerPage } from "../frames/answer-page.ts";
import { offered, waitingText } from "../frames/ask-text.ts";
import { createAnswerEnd, type Incomplete } from "../frames/incomplete.ts";
import { withNote } from "./incomplete-text.ts";
import { problemText } from "../frames/problem-text.ts";
import { NOTICE } from "./notices.ts";
import { pageAddress } from "./page-address.ts";
import { resultOf } from "./result.ts";
import { createTokens, type ForgeEvent } from "./tokens.ts";
import { parseJson } from "../../json.ts";

type Status = "pending" | "executing" | "complete" | "error";

interface Call {
  readonly name: string;
  /** The latest page that the call embeds. */
  page: Page | undefined;
  /** The arguments streamed so far. */
  raw: string;
  input: Record<string, Json>;
  executedAt: number | undefined;
}

interface Page {
  readonly embed: string;
  readonly origins: readonly string[];
}

/**
 * Encodes entries as Forge's seven events. The call's final state precedes its result, because clients of this family
 * reset the card at each `tool_call`.
 */
export const createEncoder = (options: EncodeOptions): ((entry: Entry) => readonly Frame[]) => {
  const { extensions, link } = options;
  const tokens = createTokens(extensions);
  const calls = new Map<string, Call>();
  const asks = new Map<string, { readonly input: Record<string, Json>; readonly at: number }>();
  const answerEnd = createAnswerEnd();
  let run = "";

  const start = ({ call, name }: EventOf<"tool-start">): readonly ForgeEvent[] => {
    calls.set(call, { name, page: undefined, raw: "", input: {}, executedAt: undefined });
    return [callOf(call, name, {}, "pending")];
  };

  const end = (event: EventOf<"tool-end">, call: Call, at: number): readonly ForgeEvent[] => {
    calls.delete(event.call);
    const isError = event.outcome !== "ok";
    const ms = event.ms ?? (call.executedAt === undefined ? 0 : at - call.executedAt);
    return [
      callOf(event.call, call.name, call.input, isError ? "error" : "complete"),
      answerOf(event.call, resultOf(event, link), isError, ms, call.page && pageOf(run, call.page)),
    ];
  };

  const encode = (event: Event, at: number, seq: number): readonly ForgeEvent[] => {
    answerEnd.take(event);
    switch (event.type) {
      case "run-start":
        run = event.run;
        return [];
      case "text-start":
      case "thinking-start":
        tokens.start(event);
        return [];
      case "tool-start":
        return start(event);
      case "ask-start": {
        const { ask, title, message, value } = event;
        const names = offered(event);
        const input = {
          waiting: waitingText(answerPage(options, run)),
          ...(title !== undefined && { title }),
          ...(message !== undefined && { message }),
          ...(value !== undefined && { value }),
          ...(names.length > 0 && { options: names }),
        };
        asks.set(ask, { input, at });
        return [callOf(ask, WAITING, input, "pending")];
      }
      case "ask-end": {
        const { ask, outcome, answer } = event;
        const asked = asks.get(ask);
        if (!asked) return [];
        asks.delete(ask);
        const isError = outcome !== "answered";
        return [
          callOf(ask, WAITING, asked.input, isError ? "error" : "complete"),
          answerOf(ask, answer ?? outcome, isError, at - asked.at),
        ];
      }
      case "notice": {
        const id = `notice_${run}_${seq}`;
        const isError = event.level !== "info";
        return [
          callOf(id, NOTICE, { level: event.level }, isError ? "error" : "complete"),
          answerOf(id, event.text, isError, 0),
        ];
      }
      case "run-end":
        return [endOf(event, tokens.whole, answerEnd.incomplete)];
      default: {
        const call = "call" in event && event.call !== undefined ? calls.get(event.call) : undefined;
        if (!call) return [];
        if (event.type === "tool-end") return end(event, call, at);
        if (event.type === "embed") call.page = { embed: event.embed, origins: event.origins ?? [] };
        if (event.type === "tool-input-delta") call.raw += event.delta;
        if (event.type === "tool-input-end") {
          call.input = inputOf(event.input ?? parsed(call.raw));
          return isEmpty(call.input) ? [] : [callOf(event.call, call.name, call.input, "pending")];
        }
        if (event.type !== "tool-execute") {
          event satisfies EventsAbout<"run" | "agent" | "step" | "text" | "thinking" | "tool" | "mark">;
          return [];
        }
        if (event.input !== undefined) call.input = inputOf(event.input);
        else if (isEmpty(call.input)) call.input = inputOf(parsed(call.raw));
        call.executedAt = at;
        return [callOf(event.call, call.name, call.input, "executing")];
      }
    }
  };

  const encodeAll = ({ event, at, seq }: Entry): readonly ForgeEvent[] => {
    if (event.type === "text-delta" || event.type === "thinking-delta") return tokens.take(event, at);
    if (event.type === "text-end" || event.type === "thinking-end") return tokens.end(event);
    const sent = encode(event, at, seq);
    return sent.length > 0 ? [...tokens.flush(), ...sent] : sent;
  };

  return (entry) => {
    const sent = encodeAll(entry);
    return sent.map(([name, data], index) => ({
      // Only the last frame carries the id, because the entry is delivered once all its frames are.
      ...(index === sent.length - 1 && { id: `${entry.seq}` }),
      event: name,
      data: JSON.stringify(data),
    }));
  };
};

/** The name of the card for an open ask, since this family's clients cannot answer. */
const WAITING = "waiting_for_your_answer";

const callOf = (id: string, name: string, input: Record<string, Json>, status: Status): ForgeEvent => [
  "tool_call",
  { id, tool_name: name, arguments: input, status },
];

const answerOf = (id: string, result: unknown, isError: boolean, ms: number, page?: object): ForgeEvent => [
  "tool_result",
  { tool_call_id: id, result, is_error: isError, latency_ms: Math.round(ms), ...(page && { ui_metadata: page }) },
];

/** The client fetches the page with this URI from `/api/resources`. */
const pageOf = (run: string, { embed, origins }: Page) => ({
  resourceUri: pageAddress(run, embed),
  ...(origins.length > 0 && { csp: { resourceDomains: origins, connectDomains: origins } }),
});

/**
 * An `error` ends the stream of this family's clients, so it is used only for the end of a run. It also replaces the
 * text, so an incomplete answer gets a note below its text instead.
 */
const endOf = (
  { outcome, error, usage, awaiting = [] }: EventOf<"run-end">,
  text: string,
  incomplete: Incomplete | undefined,
): ForgeEvent => {
  const response = incomplete ? withNote(text, incomplete) : text;
  const reason = incomplete && { finish_reason: incomplete.finish };
  // The client must act and continue with another message.
  const waits = awaiting.length > 0 && { awaiting_interaction: true, interactive_tool_call_id: awaiting[0] };
  if (outcome === "done") return ["complete", { response, usage: usageOf(usage), ...reason, ...waits }];
  const { code = outcome, message = `The run was ${outcome}.`, retryable = false, hint } = error ?? {};
  return [
    "error",
    {
      code: outcome === "cancelled" ? "CANCELLED" : code,
      message: problemText({ message, ...(hint !== undefined && { hint }) }),
      retryable,
    },
  ];
};

const usageOf = ({ input, output }: Usage = {}) =>
  input === undefined && output === undefined ? null : { prompt_tokens: input ?? 0, completion_tokens: output ?? 0 };

/** Arguments are objects in this family. Wraps any other value that a model produced. */
const inputOf = (input: Json | undefined): Record<string, Json> => {
  if (input === undefined) return {};
  return typeof input === "object" && input !== null && !Array.isArray(input) ? input : { raw: input };
};

const parsed = (raw: string): Json | undefined => (raw === "" ? undefined : parseJson(raw, raw));

const isEmpty = (input: Record<string, Json>): boolean => {
  for (const _ in input) return false;
  return true;
};
