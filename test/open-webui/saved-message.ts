import type { OutputItems } from "./output-items.ts";

/** A message event that is sent to the browser. */
export interface Emitted {
  readonly type: string;
  readonly data?: unknown;
}

/** What Open WebUI's database stores of a message. */
export interface SavedMessage {
  readonly content?: string;
  readonly output?: OutputItems;
  readonly statusHistory?: readonly object[];
  readonly sources?: readonly object[];
  readonly files?: readonly object[];
  readonly embeds?: readonly string[];
  readonly error?: { readonly content: unknown };
  readonly usage?: object;
  readonly done?: boolean;
}

/** The change that an emitted event makes in the database. Most make none and are lost by a reload. */
export const saveEvent = (saved: SavedMessage, { type, data }: Emitted): SavedMessage => {
  const {
    content = "",
    files = [],
    embeds = [],
    replace = false,
    type: kind,
  } = (data ?? {}) as {
    content?: string;
    files?: readonly object[];
    embeds?: readonly string[];
    replace?: boolean;
    type?: string;
  };
  switch (type) {
    case "status":
      return { statusHistory: [...(saved.statusHistory ?? []), data as object] };
    case "message":
      return { content: (saved.content ?? "") + content };
    case "replace":
      return { content };
    case "files":
      return { files: [...files, ...(saved.files ?? [])] };
    case "embeds":
      return { embeds: replace ? embeds : [...embeds, ...(saved.embeds ?? [])] };
    case "source":
    case "citation":
      return kind === undefined ? { sources: [...(saved.sources ?? []), data as object] } : {};
    default:
      return {};
  }
};
