/** Whether it reaches the user: always, only through the pipe, or not at all. */
export type Reach = "works" | "needs pipe" | "ignored";
/** Over a plain connection, or through the pipe in one of the two function-calling modes. */
export type Way = "connection" | "native" | "legacy";

export interface Compatibility {
  /** The type of an event, or of a line of the stream. */
  readonly type: string;
  readonly reach: Readonly<Record<Way, Reach>>;
  /** The first version that shows it. */
  readonly since: string;
  /** Whether it is still there after a reload. */
  readonly kept: boolean;
  readonly meaning: string;
}

const everywhere: Compatibility["reach"] = { connection: "works", native: "works", legacy: "works" };
const dialog: Compatibility["reach"] = { connection: "needs pipe", native: "works", legacy: "works" };
/** Once a message has items, its plain content is ignored. */
const nowhere: Compatibility["reach"] = { connection: "ignored", native: "ignored", legacy: "ignored" };

/** How Open WebUI handles each kind of event and line. */
export const compatibility: readonly Compatibility[] = [
  {
    type: "response.output_item.added",
    reach: everywhere,
    since: "0.8.0",
    kept: true,
    meaning: "a new item: text, thinking, a call, its result",
  },
  { type: "response.output_text.delta", reach: everywhere, since: "0.8.0", kept: true, meaning: "more text" },
  { type: "response.reasoning_text.delta", reach: everywhere, since: "0.8.0", kept: true, meaning: "more thinking" },
  {
    type: "response.function_call_arguments.done",
    reach: everywhere,
    since: "0.8.0",
    kept: true,
    meaning: "a call's arguments",
  },
  {
    type: "response.content_part.done",
    reach: everywhere,
    since: "0.8.0",
    kept: true,
    meaning: "replaces an item's text",
  },
  {
    type: "response.output_item.done",
    reach: everywhere,
    since: "0.11.1",
    kept: true,
    meaning: "replaces an item: executing, failed, duration",
  },
  { type: "response.completed", reach: everywhere, since: "0.8.0", kept: true, meaning: "all items at once" },
  {
    type: "response.in_progress",
    reach: everywhere,
    since: "0.8.0",
    kept: false,
    meaning: "shows all items again after a reload in the middle of a run, up to 0.11.0",
  },
  { type: "status", reach: everywhere, since: "0.6.5", kept: true, meaning: "the line above the message" },
  { type: "source", reach: everywhere, since: "0.6.5", kept: true, meaning: "a citation" },
  { type: "citation", reach: everywhere, since: "0.6.5", kept: true, meaning: "a citation, by its older name" },
  { type: "files", reach: everywhere, since: "0.6.5", kept: true, meaning: "files under the message" },
  {
    type: "chat:message:files",
    reach: everywhere,
    since: "0.6.5",
    kept: false,
    meaning: "replaces all files under the message",
  },
  { type: "embeds", reach: everywhere, since: "0.9.3", kept: true, meaning: "pages within the message" },
  { type: "chat:message:tasks", reach: everywhere, since: "0.9.0", kept: false, meaning: "the list of todos" },
  {
    type: "chat:message:follow_ups",
    reach: everywhere,
    since: "0.6.14",
    kept: false,
    meaning: "suggestions under the message",
  },
  { type: "chat:title", reach: everywhere, since: "0.6.5", kept: false, meaning: "the title of the chat" },
  {
    type: "chat:tags",
    reach: nowhere,
    since: "0.6.5",
    kept: false,
    meaning: "only makes Open WebUI fetch the tags again; its data is ignored",
  },
  { type: "notification", reach: everywhere, since: "0.6.5", kept: false, meaning: "a toast" },
  {
    type: "chat:message:error",
    reach: everywhere,
    since: "0.6.5",
    kept: false,
    meaning: "an error; not used, because the stream's own `error` is also kept after a reload",
  },
  { type: "confirmation", reach: dialog, since: "0.6.5", kept: false, meaning: "a yes-or-no question" },
  { type: "input", reach: dialog, since: "0.6.5", kept: false, meaning: "a question with a text answer" },
  {
    type: "input select",
    reach: dialog,
    since: "0.10.0",
    kept: false,
    meaning: "a question with a list of options",
  },
  {
    type: "execute",
    reach: dialog,
    since: "0.6.5",
    kept: false,
    meaning: "JavaScript in the user's page, only if the pipe allows it",
  },
  {
    type: "chat:tasks:cancel",
    reach: nowhere,
    since: "0.6.5",
    kept: false,
    meaning: "Open WebUI's own event for Stop",
  },
  { type: "message", reach: nowhere, since: "0.6.5", kept: true, meaning: "text appended to the content" },
  { type: "chat:message:delta", reach: nowhere, since: "0.6.5", kept: false, meaning: "text appended to the content" },
  { type: "replace", reach: nowhere, since: "0.6.5", kept: true, meaning: "replaces the content" },
  { type: "chat:message", reach: nowhere, since: "0.6.5", kept: false, meaning: "replaces the content" },
  {
    type: "chat:completion",
    reach: nowhere,
    since: "0.6.5",
    kept: false,
    meaning: "Open WebUI's own event for a message's state",
  },
];

/** The table for one client. A client without a version counts as current. */
export interface Table {
  shows(type: string): boolean;
}

export const tableFor = ({ way, version }: { readonly way: Way; readonly version?: string | undefined }): Table => {
  const shown = new Set(
    compatibility
      .filter(({ reach, since }) => reach[way] === "works" && (version === undefined || isAtLeast(version, since)))
      .map(({ type }) => type),
  );
  return { shows: (type) => shown.has(type) };
};

export const isAtLeast = (version: string, least: string): boolean => {
  const [ours, theirs] = [version, least].map((text) => text.split(".").map((part) => Number.parseInt(part, 10) || 0));
  for (let index = 0; index < 3; index++) {
    const difference = (ours![index] ?? 0) - (theirs![index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
};
