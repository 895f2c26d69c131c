import type { EncodeOptions } from "../../dialect.ts";
import type { Content, EventOf, Json } from "../../events.ts";
import { parseJson } from "../../json.ts";
import { resultText } from "../frames/result-text.ts";
import type { Chunk } from "./chunk.ts";
import type { SdkVersion } from "./style.ts";

/** The calls of a run, as parts of the message. Those of sub-agents are none until a person is asked about them. */
export interface Calls {
  startStep(): void;
  start(event: EventOf<"tool-start">): Chunk[];
  moreInput(event: EventOf<"tool-input-delta">): Chunk[];
  endInput(event: EventOf<"tool-input-end">): Chunk[];
  execute(event: EventOf<"tool-execute">): Chunk[];
  end(event: EventOf<"tool-end">): Chunk[];
  /** Makes a part of a sub-agent's call. */
  show(call: string, agentName: string): Chunk[];
  /** Whether all calls of the last step were the agent's own: a client that sends by itself when these have results would ask again. */
  readonly looksUnfinished: boolean;
}

interface Call {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly title: string | undefined;
  readonly isClient: boolean;
  readonly provider: boolean;
  readonly agent: string | undefined;
  meta: Json | undefined;
  isShown: boolean;
  /** The step of the message that it stands in. */
  step: number;
  text: string;
  input: Json | undefined;
}

export const createCalls = (sdk: SdkVersion, link: EncodeOptions["link"]): Calls => {
  const calls = new Map<string, Call>();
  let own = 0;
  let clients = 0;
  let step = 0;
  /** The last step of the message holds calls of sub-agents. */
  let isAside = false;

  const partOf = ({ toolCallId, toolName, title, isClient, provider }: Call) => ({
    toolCallId,
    toolName,
    // An app that knows a tool brought it; every other is only known by its name.
    ...(!isClient && { dynamic: true }),
    ...(provider && { providerExecuted: true }),
    ...(title !== undefined && { title }),
  });
  const metadataOf = ({ meta, agent }: Call) =>
    meta === undefined && agent === undefined
      ? {}
      : {
          providerMetadata: { runcast: { ...(meta !== undefined && { meta }), ...(agent !== undefined && { agent }) } },
        };
  const available = (call: Call): Chunk => ({
    type: "tool-input-available",
    ...partOf(call),
    input: call.input ?? inputOf(call.text),
    ...metadataOf(call),
  });

  /** The SDK looks for the part of a call only in the last step, and makes another if it is not there. */
  const isInReach = (call: Call): boolean => call.isShown && call.step === step;

  return {
    startStep() {
      step++;
      own = clients = 0;
      isAside = false;
    },
    start({ call: toolCallId, name: toolName, title, client, provider, agent, meta }) {
      const call: Call = {
        toolCallId,
        toolName,
        title,
        isClient: client === true,
        provider: provider === true,
        agent,
        meta,
        isShown: agent === undefined,
        step,
        text: "",
        input: undefined,
      };
      calls.set(toolCallId, call);
      if (!call.isShown) return [];
      if (client) clients++;
      else own++;
      return [{ type: "tool-input-start", ...partOf(call) }];
    },
    moreInput({ call: id, delta }) {
      const call = calls.get(id);
      if (!call) return [];
      call.text += delta;
      return call.isShown ? [{ type: "tool-input-delta", toolCallId: id, inputTextDelta: delta }] : [];
    },
    endInput({ call: id, input, meta }) {
      const call = calls.get(id);
      if (!call) return [];
      call.input = input;
      call.meta = meta ?? call.meta;
      return call.isShown ? [available(call)] : [];
    },
    execute({ call: id, input }) {
      const call = calls.get(id);
      if (!call || input === undefined) return [];
      call.input = input;
      return isInReach(call) ? [available(call)] : [];
    },
    end(event) {
      const call = calls.get(event.call);
      calls.delete(event.call);
      if (!call?.isShown) return [];
      const { toolCallId } = call;
      const { outcome, error } = event;
      const part = { toolCallId, ...(!call.isClient && { dynamic: true }) };
      if (outcome === "ok") return [{ type: "tool-output-available", ...part, output: outputOf(event, link) }];
      // Of a call that the client runs after all, it has to hear so.
      if (outcome === "deferred")
        return call.provider && isInReach(call) ? [{ ...available(call), providerExecuted: false }] : [];
      if (outcome === "denied" && sdk > 5) return [{ type: "tool-output-denied", toolCallId }];
      const message = error?.message ?? (resultText(event, link) || OUTCOMES[outcome]);
      return [{ type: "tool-output-error", ...part, errorText: message }];
    },
    show(id, agentName) {
      const call = calls.get(id);
      if (!call || call.isShown) return [];
      call.isShown = true;
      if (!isAside) step++;
      call.step = step;
      const title = `${agentName}: ${call.title ?? call.toolName}`;
      const divider: Chunk[] = isAside ? [] : [{ type: "start-step" }, { type: "finish-step" }];
      isAside = true;
      own++;
      return [...divider, { ...available(call), title }];
    },
    get looksUnfinished() {
      return own > 0 && clients === 0;
    },
  };
};

const inputOf = (text: string): Json => (text === "" ? {} : ((parseJson(text) ?? text) as Json));

/** One result as it is; several as a list. Bytes beside the log are given by their address. */
const outputOf = ({ value, content = [] }: EventOf<"tool-end">, link: EncodeOptions["link"]): Json => {
  if (value !== undefined) return value;
  if (content.length === 0) return null;
  const outputs = content.map((one): Json => contentOf(one, link));
  return outputs.length === 1 ? outputs[0]! : outputs;
};

const contentOf = (content: Content, link: EncodeOptions["link"]): Json => {
  if (content.type === "text") return content.text;
  if (content.type === "json") return content.value;
  if (content.type === "link")
    return { url: content.url, ...(content.title !== undefined && { title: content.title }) };
  const { name, mediaType, bytes, head } = content;
  return {
    url: link(content),
    mediaType,
    bytes,
    ...(name !== undefined && { name }),
    ...(head !== undefined && { head }),
  };
};

const OUTCOMES = {
  error: "The call failed.",
  denied: "Denied.",
  cancelled: "The call was cancelled.",
  timeout: "The call took too long.",
  interrupted: "The call was interrupted.",
} as const;
