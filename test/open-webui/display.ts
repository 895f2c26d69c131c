import type { BrowserMessage } from "./browser.ts";
import type { Generation } from "./generations.ts";
import type { OutputItem, OutputItems, OutputPart } from "./output-items.ts";

/** What the user sees of a message, from top to bottom. */
export interface Display {
  /** The line above the message. */
  readonly status: { readonly text: string; readonly shimmers: boolean } | undefined;
  readonly items: readonly Shown[];
  /** The pills below it, and what each opens. */
  readonly sources: readonly { readonly name: string; readonly text: string; readonly url: string | undefined }[];
  readonly files: readonly object[];
  readonly embeds: readonly string[];
  readonly tasks: readonly object[];
  readonly followUps: readonly string[];
  readonly error: string | undefined;
  readonly done: boolean;
}

export type Shown = ShownText | ShownCard | ShownThinking | ShownGroup;

/** Markdown. */
export interface ShownText {
  readonly kind: "text";
  readonly text: string;
}

export interface ShownCard {
  readonly kind: "card";
  readonly call: string;
  readonly name: string;
  readonly state: "spinner" | "done" | "failed";
  /** The text of the line that is always visible. */
  readonly label: string;
  readonly arguments: unknown;
  /** The content of the card, with its JSON parsed. Undefined if there is none. */
  readonly result: unknown;
  readonly embeds: readonly string[];
  /** The URLs of the images below the line. */
  readonly images: readonly string[];
}

export interface ShownThinking {
  readonly kind: "thinking";
  readonly text: string;
  readonly state: "spinner" | "done";
  readonly seconds: number | undefined;
}

/** Adjacent items that are collapsed into one line. */
export interface ShownGroup {
  readonly kind: "group";
  readonly items: readonly (ShownCard | ShownThinking)[];
}

export const display = (message: BrowserMessage, generation: Generation): Display => ({
  status: status(message),
  items: itemsIn(message, generation),
  sources: sources(message),
  files: message.files,
  embeds: message.embeds,
  tasks: message.tasks,
  followUps: message.followUps,
  error: message.error === undefined ? undefined : errorText(message.error),
  done: message.done,
});

const itemsIn = (message: BrowserMessage, generation: Generation): readonly Shown[] => {
  const output = message.stuck ?? message.output;
  return output.length > 0 ? shownItems(output, message.done, generation) : shownText(message.content);
};

/** The items without their groups. */
export const ungrouped = (items: readonly Shown[]): readonly Exclude<Shown, ShownGroup>[] =>
  items.flatMap<Exclude<Shown, ShownGroup>>((item) => (item.kind === "group" ? item.items : item));

/** Whether a text is an open ask: it ends with a link for the answer. */
export const isQuestion = (text: string): boolean => /\[(?:Answer )?here\]\([^()\s]+\)$/.test(text);

const shownText = (text: string): readonly Shown[] => (text.trim() === "" ? [] : [{ kind: "text", text }]);

const shownItems = (items: OutputItems, messageDone: boolean, generation: Generation): readonly Shown[] => {
  const results = new Map(
    items.filter(({ type }) => type === "function_call_output").map((item) => [item.call_id, item]),
  );
  const shown: Shown[] = [];
  let run: (ShownCard | ShownThinking)[] = [];
  const endRun = () => {
    if (run.length > 1) shown.push({ kind: "group", items: run });
    else shown.push(...run);
    run = [];
  };
  items.forEach((item, index) => {
    if (item.type === "function_call_output") return;
    if (item.type === "function_call") {
      const isHidden = item.name === "ask_user" && (item.status === "pending" || item.status === "in_progress");
      // The oldest versions look up a result only by the call's `call_id`.
      const key = item.call_id ?? (generation.tellsFailed ? item.id : undefined);
      if (!(isHidden && generation.tellsFailed)) run.push(card(item, results.get(key), generation));
    } else if (item.type === "reasoning") run.push(thinking(item, index === items.length - 1, messageDone));
    else if (text(item.content).trim() !== "") {
      endRun();
      shown.push({ kind: "text", text: text(item.content) });
    }
  });
  endRun();
  return shown;
};

const card = (item: OutputItem, result: OutputItem | undefined, { tellsFailed }: Generation): ShownCard => {
  const name = String(item.name ?? "");
  const status = item.status ?? "";
  const isEnded = status === "failed" || status === "incomplete" || result !== undefined;
  const isDone = isEnded || (!tellsFailed && status === "completed");
  const resultText = text(result?.output?.filter(({ type }) => type !== "input_image"));
  const isDenied = tellsFailed && status === "rejected";
  const isFailed = isDenied || (tellsFailed && (status === "failed" || (isDone && looksLikeError(resultText))));
  const doing = tellsFailed && status !== "completed" ? "Preparing" : "Executing";
  return {
    kind: "card",
    call: String(item.call_id ?? item.id),
    name,
    state: isFailed ? "failed" : isDone ? "done" : "spinner",
    label: isDenied ? `Denied ${name}` : isDone ? `View Result from ${name}` : `${doing} ${name}...`,
    arguments: readJson(typeof item.arguments === "string" ? item.arguments : JSON.stringify(item.arguments ?? "")),
    result: isDone && resultText !== "" ? readJson(resultText) : undefined,
    embeds: (result?.["embeds"] as readonly string[] | undefined) ?? [],
    images: isDone ? imagesIn(result?.["files"]) : [],
  };
};

/** The files of a result that a card shows as images. */
export const imagesIn = (files: unknown): readonly string[] =>
  (Array.isArray(files) ? (files as readonly unknown[]) : []).flatMap((file) => {
    if (typeof file === "string") return file.startsWith("data:image/") ? [file] : [];
    const { type, content_type: mediaType = "", url } = file as Record<string, string | undefined>;
    return url !== undefined && (type === "image" || mediaType.startsWith("image/")) ? [url] : [];
  });

const thinking = (item: OutputItem, isLast: boolean, messageDone: boolean): ShownThinking => {
  const isDone =
    ["completed", "failed", "incomplete"].includes(item.status ?? "") || item.duration !== undefined || !isLast;
  return {
    kind: "thinking",
    text: item.summary?.length ? text(item.summary) : text(item.content),
    state: isDone || messageDone ? "done" : "spinner",
    seconds: item.duration ?? undefined,
  };
};

const text = (parts: readonly OutputPart[] = []): string =>
  parts.map((part) => (part.text === undefined || part.text === null ? "" : String(part.text))).join("");

/** Parses nested JSON as a card does. Leaves other text unchanged. */
export const readJson = (text: string): unknown => {
  let value: unknown = text;
  while (typeof value === "string") {
    try {
      value = JSON.parse(value);
    } catch {
      break;
    }
  }
  return value;
};

/** What a card treats as an error, regardless of the call's status. */
export const looksLikeError = (result: string): boolean => {
  if (/^(?:error:|exception:|traceback|http error!)/i.test(result.trim())) return true;
  const value = readJson(result);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { error, status, success, ok, message } = value as Record<string, unknown>;
  const isGiven = (reason: unknown) =>
    typeof reason === "string" ? reason.trim() !== "" : typeof reason === "object" && reason !== null;
  if (isGiven(error)) return true;
  if (typeof status === "string" && ["error", "failed"].includes(status.trim().toLowerCase())) return true;
  return (success === false || ok === false) && isGiven(message);
};

const status = ({ statusHistory }: BrowserMessage): Display["status"] => {
  const last = statusHistory.at(-1) as { description?: string; done?: boolean; hidden?: boolean } | undefined;
  if (!last || last.hidden === true) return undefined;
  return { text: last.description ?? "", shimmers: last.done === false };
};

const sources = ({ sources }: BrowserMessage): Display["sources"] => {
  const pills = new Map<string, { name: string; text: string; url: string | undefined }>();
  for (const each of sources as { source?: Pill; document?: string[]; metadata?: Pill[] }[]) {
    (each.document ?? []).forEach((document, index) => {
      const metadata = each.metadata?.[index];
      const id = metadata?.source ?? each.source?.id ?? "N/A";
      const isUrl = /^https?:\/\//.test(id);
      const known = pills.get(id);
      pills.set(id, {
        name: known?.name ?? (isUrl ? id : (metadata?.name ?? each.source?.name ?? "")),
        text: known ? `${known.text}\n${document}` : document,
        url: known?.url ?? (isUrl ? id : each.source?.url),
      });
    });
  }
  return [...pills.values()];
};

interface Pill {
  readonly source?: string;
  readonly id?: string;
  readonly name?: string;
  readonly url?: string;
}

const errorText = (error: unknown): string => {
  if (typeof error === "string") return error;
  const { error: inner, detail, message } = (error ?? {}) as Record<string, unknown>;
  const innerMessage = (inner as { message?: unknown } | undefined)?.message;
  for (const reason of [innerMessage, detail, message]) if (typeof reason === "string") return reason;
  return JSON.stringify(error);
};
