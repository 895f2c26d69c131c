import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

const directory = path.join(import.meta.dirname, "../../docs/guides");

/** The names of all guides. */
export const GUIDES: readonly string[] = readdirSync(directory)
  .filter((file) => file.endsWith(".md"))
  .map((file) => path.basename(file, ".md"));

export type Action =
  | { readonly kind: "file"; readonly name: string; readonly text: string }
  | { readonly kind: "command" | "server"; readonly text: string }
  /** What the commands or the server before it print. */
  | { readonly kind: "output"; readonly lines: readonly string[] }
  | { readonly kind: "headers"; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: "open" | "send" | "click" | "see"; readonly text: string };

export interface Guide {
  /** The number of steps that the introduction promises. */
  readonly promised: number;
  /** The titles of the steps, with their numbers. */
  readonly titles: readonly string[];
  /** What a reader does in these steps, in order. */
  readonly actions: readonly Action[];
  /** Configurations after the steps. */
  readonly others: readonly string[];
  readonly hasNext: boolean;
}

const NUMBERS = ["Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];

/** Reads a guide as its reader does. `replace` changes its text first, such as its ports. */
export const readGuide = (name: string, replace: (text: string) => string = (text) => text): Guide => {
  const text = replace(readFileSync(path.join(directory, `${name}.md`), "utf8"));
  const [introduction = "", ...sections] = text.split(/^## /m);
  const steps = sections.filter((section) => /^\d+\. /.test(section));
  const others = sections.filter((section) => !steps.includes(section));
  return {
    promised: NUMBERS.indexOf(/^(\w+) steps from a fresh clone/m.exec(introduction)?.[1] ?? ""),
    titles: steps.map((section) => section.split("\n")[0]!),
    actions: steps.flatMap(actionsOf),
    others: others
      .flatMap(actionsOf)
      .flatMap((action) => (action.kind === "file" && action.name === "runcast.config.ts" ? [action.text] : [])),
    hasNext: others.at(-1)?.startsWith("Next\n") ?? false,
  };
};

/** Blocks of code alternate with prose. */
const actionsOf = (section: string): Action[] =>
  section
    .split(/^( *```.*\n[^]*?^ *```)$/m)
    .flatMap((piece) => (piece.trimStart().startsWith("```") ? actionsOfBlock(piece) : actionsOfProse(piece)));

const actionsOfBlock = (block: string): Action[] => {
  const [fence = "", ...rest] = block.trimStart().split("\n");
  const kind = fence.slice(3);
  const lines = rest.slice(0, -1);
  const [, name] = /^(?:\/\/|#) ([\w./-]+)$/.exec(lines[0] ?? "") ?? [];
  if (name !== undefined) return [{ kind: "file", name, text: `${lines.join("\n")}\n` }];
  switch (kind) {
    case "sh":
      return lines.map((text) => ({ kind: "command", text }));
    case "sh server":
      return [{ kind: "server", text: lines.join("\n") }];
    case "":
      return [{ kind: "output", lines }];
    case "json":
      return [{ kind: "headers", headers: JSON.parse(lines.join("\n")) as Record<string, string> }];
    default:
      throw new Error(`nothing runs a block of ${kind}:\n${block}`);
  }
};

/** “Quoted” text is visible on the open page. */
const actionsOfProse = (prose: string): Action[] => {
  const pattern = /Open (http:\S+?)[.,]?\s|send `([^`]+)`|click \*\*([^*]+)\*\*|“([^”]+)”/gi;
  return [...prose.replaceAll(/\s+/g, " ").matchAll(pattern)].map(([, open, send, click, see]) => {
    if (open !== undefined) return { kind: "open", text: open };
    if (send !== undefined) return { kind: "send", text: send };
    return click === undefined ? { kind: "see", text: see! } : { kind: "click", text: click };
  });
};
