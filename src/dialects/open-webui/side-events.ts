import type { EncodeOptions, Frame } from "../../dialect.ts";
import type { EventOf, Json } from "../../events.ts";
import { applyPatch } from "../../json.ts";
import type { Table } from "./compatibility.ts";
import { withHeight } from "../frames/embed-page.ts";
import { codeBlock, excerpt, type Gap, jsonBytes, nameText, oneLine, plain, TEXT_BYTES } from "./text.ts";
import { cut } from "./whole-characters.ts";

/** What Open WebUI shows in addition to a message's text: sources, files, embeds, tasks, suggestions, a title, toasts. */
export interface SideEvents {
  citation(event: EventOf<"citation">): readonly Frame[];
  /** A call's result as a source that can be opened. */
  result(about: SourceAbout & { readonly input: Json | undefined }): readonly Frame[];
  /** Shows the latest state of a file. */
  file(event: Pick<EventOf<"file">, "file" | "url" | "name" | "mediaType" | "bytes" | "change">): readonly Frame[];
  embed(event: EventOf<"embed">): readonly Frame[];
  /** Whether the client can show pages within the message. */
  readonly showsEmbeds: boolean;
  /** Shows the run's embedded view above everything that the run embeds. */
  view(address: string): readonly Frame[];
  notice(event: EventOf<"notice">): readonly Frame[];
  data(event: EventOf<"data">): readonly Frame[];
  /** Emits the events that must survive a reload. */
  end(): readonly Frame[];
}

interface SourceAbout {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** The URL of the whole text. */
  readonly link: string;
  readonly gap?: Gap | undefined;
  readonly url?: string | undefined;
}

/** An event as Open WebUI accepts it within a stream. */
export const eventFrame = (type: string, data: unknown): Frame => ({ data: JSON.stringify({ event: { type, data } }) });

export const createSideEvents = (
  { link }: Pick<EncodeOptions, "link">,
  table: Table,
  page: () => string,
): SideEvents => {
  const files = new Map<string, unknown>();
  const embeds = new Map<string, string>();
  const slots = new Map<string, Json>();
  let view: string | undefined;

  const say = (type: string, data: unknown): readonly Frame[] => (table.shows(type) ? [eventFrame(type, data)] : []);

  const source = ({ id, name, url, text, link: whole, gap }: SourceAbout, more: Record<string, unknown>) =>
    say("source", {
      source: { id, name, ...(url !== undefined && { url }) },
      // Rendered as Markdown.
      document: [codeBlock(excerpt(text, TEXT_BYTES - 1024, whole, gap))],
      // Sources are grouped by this field, so each gets its own pill.
      metadata: [{ source: id, name, ...(url !== undefined && { url }), ...more }],
    });

  const allEmbeds = () => {
    const latest = asManyAsFit([...embeds.values()].toReversed()).toReversed();
    return say("embeds", { embeds: view === undefined ? latest : [view, ...latest], replace: true });
  };

  const allFiles = () => asManyAsFit([...files.values()].toReversed());

  const dataFrames: Readonly<Record<string, (value: Json) => readonly Frame[]>> = {
    title: (value) => (typeof value === "string" ? say("chat:title", oneLine(value)) : []),
    "follow-ups": (value) =>
      Array.isArray(value)
        ? say("chat:message:follow_ups", {
            follow_ups: value
              .filter(isText)
              .slice(0, 5)
              .map((text) => oneLine(text, 400)),
          })
        : [],
    todos: (value) =>
      Array.isArray(value)
        ? say("chat:message:tasks", { tasks: asManyAsFit(value.slice(0, 100).flatMap((todo) => taskOf(todo))) })
        : [],
  };

  return {
    citation({ citation, title, url, text = "", author, published, accessed }) {
      const name = nameText(title ?? url ?? "Source");
      return source(
        { id: citation, name, url: webAddress(url), text: text || name, link: page() },
        {
          ...(author !== undefined && { author: oneLine(author) }),
          ...(published !== undefined && { publication_date: oneLine(published) }),
          ...(accessed !== undefined && { date_accessed: oneLine(accessed) }),
        },
      );
    },

    result: ({ input, name, ...about }) =>
      source(
        { ...about, name: nameText(name), text: about.text || "✓ completed" },
        input !== undefined && sizeOf(input, 4096) <= 4096 ? { parameters: input } : {},
      ),

    file({ file, url, name, mediaType = "", bytes, change }) {
      const where = file === undefined ? webAddress(url) : link({ file });
      if (change === "deleted" && files.delete(name)) return say("chat:message:files", { files: allFiles() });
      if (where === undefined || change === "deleted") return [];
      const shown = {
        // Never marked as an image: newer versions show their own icon for one of another origin.
        type: "file",
        url: where,
        name: nameText(name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1) || name),
        ...(mediaType && !mediaType.startsWith("image/") && { content_type: oneLine(mediaType) }),
        ...(bytes !== undefined && { size: bytes }),
      };
      files.delete(name);
      files.set(name, shown);
      // Stored files can only be added, so they are stored once, at the end.
      return say("chat:message:files", { files: allFiles() });
    },

    end: () => (files.size > 0 ? say("files", { files: allFiles() }) : []),

    showsEmbeds: table.shows("embeds"),
    view(address) {
      if (address === view) return [];
      view = address;
      return allEmbeds();
    },

    embed({ embed, html, url, file, title }) {
      const shown = html === undefined ? webAddress(url) : withHeight(html);
      if (shown === undefined || jsonBytes(shown, TEXT_BYTES) > TEXT_BYTES) {
        const where = { ...(file !== undefined && { file }), ...(url !== undefined && { url }) };
        return this.file({ ...where, name: title ?? "Embedded page", mediaType: "text/html" });
      }
      embeds.delete(embed);
      embeds.set(embed, shown);
      return allEmbeds();
    },

    notice: ({ level, text }) => say("notification", { type: level, content: plain(cut(text, 2000)) }),

    data({ name, id, value, patch }) {
      const framesOf = id === undefined && Object.hasOwn(dataFrames, name) ? dataFrames[name] : undefined;
      if (!framesOf) return [];
      const now = value ?? (patch === undefined ? undefined : patched(slots.get(name), patch));
      if (now === undefined) return [];
      slots.set(name, now);
      return framesOf(now);
    },
  };
};

/** A patch that does not apply changes nothing. */
const patched = (value: Json | undefined, patch: Json): Json | undefined => {
  try {
    return applyPatch(value, patch);
  } catch {
    return undefined;
  }
};

const isText = (value: Json): value is string => typeof value === "string";

const TASKS: Readonly<Record<string, string>> = {
  pending: "pending",
  active: "in_progress",
  done: "completed",
  cancelled: "cancelled",
};

const taskOf = (todo: Json): unknown[] => {
  if (typeof todo !== "object" || todo === null || Array.isArray(todo)) return [];
  const { id, text, status } = todo;
  if (typeof id !== "string" || typeof text !== "string" || typeof status !== "string") return [];
  return [{ id, content: oneLine(text, 400), status: TASKS[status] ?? "pending" }];
};

/** Only web URLs, so a click can never run a script. */
const webAddress = (url: string | undefined): string | undefined =>
  url !== undefined && url.length <= 2000 && /^https?:\/\//.test(url) ? url : undefined;

const asManyAsFit = <Value>(values: readonly Value[]): Value[] => {
  let bytes = 0;
  return values.filter((value) => (bytes += jsonBytes(JSON.stringify(value))) <= TEXT_BYTES);
};

/** The approximate size of a value as JSON. Stops counting above `most`. */
const sizeOf = (value: Json, most: number): number => {
  if (typeof value === "string") return jsonBytes(value, most);
  if (typeof value !== "object" || value === null) return 8;
  let size = 2;
  for (const [key, one] of Object.entries(value)) {
    size += jsonBytes(key, most) + 2 + sizeOf(one, most);
    if (size > most) break;
  }
  return size;
};
