/** The items of a response. Each keeps the output index at which it started. */
export type Item = MessageItem | ReasoningItem | CallItem;

interface Common {
  readonly id: string;
  status: "in_progress" | "completed" | "incomplete";
}
export interface MessageItem extends Common {
  readonly type: "message";
  readonly role: "assistant";
  content: OutputText[];
}
export interface ReasoningItem extends Common {
  readonly type: "reasoning";
  summary: SummaryText[];
}
export interface CallItem extends Common {
  readonly type: "function_call";
  readonly call_id: string;
  readonly name: string;
  arguments: string;
}
export interface OutputText {
  readonly type: "output_text";
  text: string;
  readonly annotations: readonly [];
  readonly logprobs: readonly [];
}
export interface SummaryText {
  readonly type: "summary_text";
  text: string;
}

/** Our ids with OpenAI's prefixes: stable, and recognizable to our own decoder. */
export const messageItem = (part: string): MessageItem => ({
  id: `msg_${part}`,
  type: "message",
  status: "in_progress",
  role: "assistant",
  content: [],
});

export const reasoningItem = (part: string): ReasoningItem => ({
  id: `rs_${part}`,
  type: "reasoning",
  status: "in_progress",
  summary: [],
});

export const callItem = (call: string, name: string): CallItem => ({
  id: `fc_${call}`,
  type: "function_call",
  status: "in_progress",
  call_id: call,
  name,
  arguments: "",
});

export const outputText = (text = ""): OutputText => ({ type: "output_text", annotations: [], logprobs: [], text });
export const summaryText = (text = ""): SummaryText => ({ type: "summary_text", text });
