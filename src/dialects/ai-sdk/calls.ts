import type { EncodeOptions } from "../../dialect.ts";
import type { Content, EventOf, Json } from "../../events.ts";
import { parseJson } from "../../json.ts";
import { resultText } from "../frames/result-text.ts";
import type { Chunk } from "./chunk.ts";
import type { SdkVersion } from "./style.ts";

/** The calls of a run as message parts. Calls of sub-agents get a part only when the user is asked about them. */
export interface Calls {
  startStep(): void;
  start(event: EventOf<"tool-start">): Chunk[];
  moreInput(event: EventOf<"tool-input-delta">): Chunk[];
  endInput(event: EventOf<"tool-input-end">): Chunk[];
  execute(event: EventOf<"tool-execute">): Chunk[];
  end(event: EventOf<"tool-end">): Chunk[];
  /** Creates a part for a sub-agent's call. */
  show(call: string, agentName: string): Chunk[];
  /**
   * Whether all calls of the last step are the agent's own. A client that resubmits automatically once all calls of the
   * last step have results would then start another request.
   */
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
  /** The message step that contains the call. */
  step: number;
  text: string;
  input: Json | undefined;
}

export const createCalls = (sdk: SdkVersion, link: EncodeOptions["link"]): Calls => {
  const calls = new Map<string, Call>();
  let own = 0;
  let clients = 0;
  let step = 0;
  /** The message's last step contains calls of sub-agents. */
  let isAside = false;

  const partOf = ({ toolCallId, toolName, title, isClient, provider }: Call) => ({
    toolCallId,
    toolName,
    // Apps declare only the tools that they provide. All others are dynamic to them.
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

  /** The SDK looks for a call's part only in the last step, and creates another one if it is missing. */
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
      // Tells the client if it must run a call that was announced as the provider's.
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

/** A single result unwrapped, several as a list. Bytes stored alongside the log appear as a URL. */
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
  timeout: "The call timed out.",
  interrupted: "The call was interrupted.",
} as const;
