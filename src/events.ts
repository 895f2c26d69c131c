import { z } from "zod";
import { CALL_OUTCOMES, MAX_COST, PROTOCOL } from "./protocol.ts";

export { PROTOCOL };

// ── Values ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const id = z.string().min(1).max(256);
const count = z.number().int().nonnegative();
export type Json = z.infer<ReturnType<typeof z.json>>;
/** Any JSON value. It comes from JSON or goes into it, so it is not checked further, which would be slow. */
const json: z.ZodType<Json, Json> = z.any().refine((value) => value !== undefined, "Required");

/** A file stored with the log. `head` and `tail` are its first and last 4 KB, if it is text. */
export const fileRefSchema = z.object({
  file: id,
  mediaType: z.string(),
  bytes: count,
  name: z.string().optional(),
  head: z.string().optional(),
  tail: z.string().optional(),
});
export type FileRef = z.infer<typeof fileRefSchema>;

/** A tool's result: shown to the user and sent back to the model. */
export const contentSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("json"), value: json }),
  z.object({ type: z.literal("file"), ...fileRefSchema.shape }),
  z.object({
    type: z.literal("link"),
    url: z.string(),
    title: z.string().optional(),
    mediaType: z.string().optional(),
  }),
]);
export type Content = z.infer<typeof contentSchema>;

/** `message` describes the problem, `hint` suggests a fix, and `retryable` tells whether the same request may succeed later. */
export const problemSchema = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean().optional(),
  hint: z.string().optional(),
});
export type Problem = z.infer<typeof problemSchema>;

/** Token counts, and what they cost. `reasoning` is included in `output`, `cached` in `input`. */
export const usageSchema = z.object({
  input: count.optional(),
  output: count.optional(),
  reasoning: count.optional(),
  cached: count.optional(),
  cost: z.number().min(0).max(MAX_COST).optional().describe("in US dollars"),
});
export type Usage = z.infer<typeof usageSchema>;

export const userSchema = z.object({ id, name: z.string().optional(), email: z.string().optional() });
export type User = z.infer<typeof userSchema>;

/**
 * One part of a message. A file part has `url`, `data` (base64), or `file`: a file stored with the log of this run, or
 * of the run named by `run`. A log contains no `data`.
 */
export const filePartSchema = z.object({
  type: z.literal("file"),
  mediaType: z.string(),
  name: z.string().optional(),
  url: z.string().optional(),
  data: z.string().optional(),
  file: id.optional(),
  run: id.optional(),
  bytes: count.optional(),
});

export const partSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  filePartSchema,
  z.object({ type: z.literal("call"), call: id, name: z.string(), input: json, meta: json.optional() }),
  z.object({
    type: z.literal("result"),
    call: id,
    name: z.string().optional(),
    content: z.array(contentSchema),
    error: z.boolean().optional(),
  }),
  z.object({ type: z.literal("thinking"), text: z.string(), meta: json.optional() }),
]);
export type Part = z.infer<typeof partSchema>;

export const messageSchema = z.object({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.array(partSchema),
});
export type Message = z.infer<typeof messageSchema>;

/** `allow` answers an approval or a confirmation, `value` any other ask. */
export const answerSchema = z.object({
  allow: z.boolean().optional(),
  option: id.optional().describe("the id of the chosen option of the approval; `allow` agrees with it"),
  input: json.optional().describe("the edited arguments of an approved call"),
  always: z.boolean().optional().describe("allow this tool for the rest of the run"),
  reason: z.string().optional(),
  value: json.optional(),
});
export type Answer = z.infer<typeof answerSchema>;

const runOutcome = z.enum(["done", "error", "cancelled", "interrupted"]);
const callOutcome = z.enum(CALL_OUTCOMES);
const askOutcome = z.enum(["answered", "expired", "cancelled", "interrupted"]);
const finish = z.enum(["stop", "tools", "length", "filter", "error", "cancelled", "interrupted", "other"]);
const askKind = z.enum(["approval", "confirmation", "input", "choice", "result", "execute"]);
export type RunOutcome = z.infer<typeof runOutcome>;
export type CallOutcome = z.infer<typeof callOutcome>;
export type AskOutcome = z.infer<typeof askOutcome>;
export type Finish = z.infer<typeof finish>;
export type AskKind = z.infer<typeof askKind>;

const choiceOption = z.object({ value: json, label: z.string().optional(), description: z.string().optional() });
const approvalOption = z.object({ id, label: z.string(), allow: z.boolean() });
/** A value offered by a choice. */
export type ChoiceOption = z.infer<typeof choiceOption>;
/** An option of an approval: one way to allow or deny it. */
export type ApprovalOption = z.infer<typeof approvalOption>;

// ── Events ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Fields of every event: the sub-agent it belongs to (absent for the root), and a provider's opaque value. */
const common = { agent: id.optional(), meta: json.optional() };

const event = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), ...common }).extend(shape);

export const eventSchema = z.discriminatedUnion("type", [
  event("run-start", {
    protocol: z.number(),
    run: id,
    thread: id.optional(),
    previous: id
      .nullable()
      .optional()
      .describe("the run that this one continues; null at the start of a conversation, absent if unknown"),
    name: z.string(),
    agentKey: z.string().optional().describe("the configured name of the agent, if it differs from `name`"),
    model: z.string().optional(),
    user: userSchema.optional(),
    message: messageSchema.optional(),
    request: fileRefSchema
      .optional()
      .describe("the complete request without secrets, as a JSON file stored with the log"),
  }),
  event("run-resume", {
    owner: id.describe("the process that continues the run"),
    reason: z
      .enum(["expired", "released"])
      .describe("the previous owner stopped renewing its lease, or released the run"),
    after: count.describe("the seq of the last entry that the previous owner wrote"),
  }),
  event("agent-start", {
    agent: id,
    parent: id.optional(),
    call: id.optional(),
    name: z.string(),
    task: z.string().optional(),
    model: z.string().optional(),
  }),
  event("agent-end", {
    agent: id,
    outcome: runOutcome,
    error: problemSchema.optional(),
    usage: usageSchema.optional(),
  }),
  event("step-start", { step: id, model: z.string().optional() }),
  event("step-retry", { step: id, attempt: count, wait: count, error: problemSchema }),
  event("step-end", { step: id, finish, usage: usageSchema.optional() }),
  event("text-start", { part: id, call: id.optional(), replaces: id.optional() }),
  event("text-delta", { part: id, delta: z.string() }),
  event("text-end", { part: id, cut: z.boolean().optional() }),
  event("thinking-start", { part: id, redacted: z.boolean().optional() }),
  event("thinking-delta", { part: id, delta: z.string() }),
  event("thinking-end", { part: id, cut: z.boolean().optional() }),
  event("tool-start", {
    call: id,
    name: z.string(),
    title: z.string().optional(),
    provider: z.boolean().optional(),
    client: z.boolean().optional().describe("the client runs it; it ends as deferred unless it is cut"),
    repeats: id.optional().describe("the interrupted call that this call repeats"),
  }),
  event("tool-input-delta", { call: id, delta: z.string() }),
  event("tool-input-end", { call: id, input: json.optional() }),
  event("tool-execute", { call: id, input: json.optional() }),
  event("tool-progress", {
    call: id,
    note: z.string().optional(),
    fraction: z.number().min(0).max(1).optional(),
    value: json.optional(),
  }),
  event("tool-output-delta", { call: id, stream: z.enum(["stdout", "stderr"]), delta: z.string() }),
  event("tool-end", {
    call: id,
    outcome: callOutcome,
    content: z.array(contentSchema).optional(),
    value: json.optional(),
    error: problemSchema.optional(),
    ms: z.number().nonnegative().optional(),
    bytes: z.object({ result: count.optional(), stdout: count.optional(), stderr: count.optional() }).optional(),
  }),
  event("ask-start", {
    ask: id,
    kind: askKind,
    call: id.optional(),
    title: z.string().optional(),
    message: z.string().optional(),
    schema: json.optional().describe("a JSON Schema for the answer's value"),
    value: json.optional().describe("the subject: arguments to approve, a default value, code to execute"),
    options: z
      .union([z.array(choiceOption), z.array(approvalOption)])
      .optional()
      .describe("for an approval, the ways to allow or deny; for other asks, the values to choose from"),
    allows: z.array(z.enum(["edit", "always", "reason"])).optional(),
    expires: count.optional().describe("milliseconds since 1970"),
  }),
  event("ask-end", { ask: id, outcome: askOutcome, answer: answerSchema.optional(), by: z.string().optional() }),
  event("status", { text: z.string(), call: id.optional() }),
  event("citation", {
    citation: id,
    title: z.string().optional(),
    url: z.string().optional(),
    text: z.string().optional(),
    author: z.string().optional(),
    published: z.string().optional().describe("an ISO 8601 date"),
    accessed: z.string().optional().describe("an ISO 8601 date"),
    part: id.optional(),
    range: z.tuple([count, count]).optional(),
    call: id.optional(),
  }),
  event("file", {
    file: id.optional().describe("bytes stored alongside the log"),
    url: z.string().optional(),
    name: z.string(),
    mediaType: z.string().optional(),
    bytes: count.optional(),
    change: z.enum(["created", "changed", "deleted"]).optional(),
    call: id.optional(),
  }),
  event("embed", {
    embed: id,
    html: z.string().optional(),
    url: z.string().optional(),
    file: id.optional(),
    title: z.string().optional(),
    origins: z.array(z.string()).optional(),
    call: id.optional(),
  }),
  event("notice", { level: z.enum(["info", "success", "warning", "error"]), text: z.string(), call: id.optional() }),
  event("data", {
    name: z.string().min(1),
    id: id.optional(),
    value: json.optional(),
    patch: json.optional(),
    call: id.optional(),
  }),
  event("run-end", {
    outcome: runOutcome,
    error: problemSchema.optional(),
    usage: usageSchema.optional(),
    answer: z.array(id).optional(),
    awaiting: z.array(id).optional(),
  }),
]);
export type Event = z.infer<typeof eventSchema>;
export type EventType = Event["type"];
export type EventOf<Type extends EventType> = Extract<Event, { type: Type }>;

export const EVENT_TYPES = eventSchema.options.map((option) => option.shape.type.value);

/** `seq` counts from 1 without gaps. `at` is milliseconds since 1970. */
export const entrySchema = z.object({ seq: z.number().int().positive(), at: count, event: eventSchema });
export interface Entry {
  readonly seq: number;
  readonly at: number;
  readonly event: Event;
}

/** The schemas of the well-known `data` names. Other names may hold any value. */
export const dataSchemas = {
  title: z.string(),
  tags: z.array(z.string()),
  "follow-ups": z.array(z.string()),
  todos: z.array(z.object({ id, text: z.string(), status: z.enum(["pending", "active", "done", "cancelled"]) })),
  state: json,
} as const;

/** The vocabulary as JSON Schema, for validation in other languages. */
export const eventsJsonSchema = () => ({
  $id: `urn:runcast:events:${PROTOCOL}`,
  title: "A Runcast log entry",
  ...z.toJSONSchema(entrySchema, { io: "input" }),
});
