import type { EncodeOptions, Frame } from "../../dialect.ts";
import type { EventOf, Json } from "../../events.ts";
import { applyPatch } from "../../json.ts";
import type { Table } from "./compatibility.ts";
import { excerpt, LINE_BYTES, oneLine, plain, TEXT_BYTES } from "./text.ts";

/** What Open WebUI shows beside a message's text: sources, files, embeds, tasks, suggestions, a title, toasts. */
export interface SideEvents {
  citation(event: EventOf<"citation">): readonly Frame[];
  /** What a call answered with, as a source that can be opened. */
  result(about: {
    readonly id: string;
    readonly name: string;
    readonly text: string;
    readonly input: Json | undefined;
  }): readonly Frame[];
  file(event: Pick<EventOf<"file">, "file" | "url" | "name" | "mediaType" | "bytes" | "change">): readonly Frame[];
  embed(event: EventOf<"embed">): readonly Frame[];
  notice(event: EventOf<"notice">): readonly Frame[];
  data(event: EventOf<"data">): readonly Frame[];
}

/** One event, as Open WebUI takes it from within a stream. */
export const eventFrame = (type: string, data: unknown): Frame => ({ data: JSON.stringify({ event: { type, data } }) });

export const createSideEvents = (
  { link }: Pick<EncodeOptions, "link">,
  table: Table,
  page: () => string,
): SideEvents => {
  const files: unknown[] = [];
  const embeds = new Map<string, string>();
  const slots = new Map<string, Json>();

  const say = (type: string, data: unknown): readonly Frame[] => (table.shows(type) ? [eventFrame(type, data)] : []);

  const source = (
    about: { readonly id: string; readonly name: string; readonly url?: string | undefined; readonly text: string },
    more: Readonly<Record<string, unknown>>,
  ): readonly Frame[] => {
    const { id, name, url, text } = about;
    return say("source", {
      source: { id, name, ...(url !== undefined && { url }) },
      document: [excerpt(text, TEXT_BYTES, page())],
      // Sources are grouped by this: each its own pill.
      metadata: [{ source: id, name, ...(url !== undefined && { url }), ...more }],
    });
  };

  const told: Readonly<Record<string, (value: Json) => readonly Frame[]>> = {
    title: (value) => (typeof value === "string" ? say("chat:title", oneLine(value)) : []),
    tags: (value) => (Array.isArray(value) ? say("chat:tags", value.filter(isText)) : []),
    "follow-ups": (value) =>
      Array.isArray(value)
        ? say("chat:message:follow_ups", {
            follow_ups: value
              .filter(isText)
              .slice(0, 20)
              .map((text) => oneLine(text, 500)),
          })
        : [],
    todos: (value) =>
      Array.isArray(value)
        ? say("chat:message:tasks", { tasks: value.slice(0, 100).flatMap((todo) => taskOf(todo)) })
        : [],
  };

  return {
    citation(event) {
      const { citation, title, url, text = "", author, published, accessed } = event;
      const address = url !== undefined && /^https?:\/\//.test(url) ? url : undefined;
      const name = oneLine(title ?? url ?? "Source");
      return source(
        { id: citation, name, url: address, text: text || name },
        {
          ...(author !== undefined && { author: oneLine(author) }),
          ...(published !== undefined && { publication_date: published }),
          ...(accessed !== undefined && { date_accessed: accessed }),
        },
      );
    },

    result: ({ id, name, text, input }) =>
      source({ id, name, text: text || "✓ completed" }, small(input) ? { parameters: input } : {}),

    file({ file, url, name, mediaType = "", bytes, change }) {
      const where = file === undefined ? url : link({ file });
      if (where === undefined || change === "deleted") return [];
      const isImage = mediaType.startsWith("image/");
      const shown = {
        type: isImage ? "image" : "file",
        url: where,
        name: oneLine(name),
        ...(mediaType && { content_type: mediaType }),
        ...(bytes !== undefined && { size: bytes }),
      };
      files.push(shown);
      // The one is added to what is stored, the other takes the place of what is shown.
      const all = files.slice(-100);
      return [
        ...say("files", { files: [shown] }),
        ...(all.length > 1 ? say("chat:message:files", { files: all }) : []),
      ];
    },

    embed({ embed, html, url, file, title }) {
      const shown = html ?? url;
      if (shown === undefined || shown.length > LINE_BYTES / 2) {
        const name = title ?? "Embedded page";
        return this.file({
          ...(file !== undefined && { file }),
          ...(url !== undefined && { url }),
          name,
          mediaType: "text/html",
        });
      }
      embeds.set(embed, shown);
      const all = [...embeds.values()];
      while (all.length > 1 && JSON.stringify(all).length > TEXT_BYTES) all.shift();
      return say("embeds", { embeds: all, replace: true });
    },

    notice: ({ level, text }) => say("notification", { type: level, content: plain(text.slice(0, 2000)) }),

    data({ name, id, value, patch }) {
      const tell = id === undefined && Object.hasOwn(told, name) ? told[name] : undefined;
      if (!tell) return [];
      const now = value ?? (patch === undefined ? undefined : applyPatch(slots.get(name), patch));
      if (now === undefined) return [];
      slots.set(name, now);
      return tell(now);
    },
  };
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

const small = (input: Json | undefined): boolean => input !== undefined && JSON.stringify(input).length < 4096;
