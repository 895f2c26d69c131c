import { z } from "zod";
import { Refusal } from "../source.ts";
import { type Approval, type Tool, type ToolContext, defineTool, toolResult } from "../tool.ts";
import type { Directory } from "./files/directory.ts";
import { editText } from "./files/edit.ts";
import { compileGlob } from "./files/glob.ts";
import { grep } from "./files/grep.ts";
import { regexMatcher, substringMatcher } from "./files/matcher.ts";
import { replaceFile } from "./files/replace.ts";
import { binaryKind, readLines, readText } from "./files/text.ts";
import { walk } from "./files/walk.ts";
import { type Workspace, createWorkspace, isGitDirectory, namesOf } from "./files/workspace.ts";

export interface FilesOptions {
  /** The directory that the tools can read and change. They cannot access anything outside it. It must exist. */
  readonly workspace: string;
  /** Omits `write_file` and `edit_file`. */
  readonly readOnly?: boolean;
  /** The most that one `read_file` returns. Default: 64 KB. */
  readonly maxReadBytes?: number;
  /** Whether the user must allow a write or an edit. Default: never. */
  readonly approval?: Approval;
}

/**
 * Tools for the files of one directory: list, read, write, edit, find by name, search. See `files/directory.ts` for how
 * they are confined.
 */
export const files = ({ workspace, readOnly = false, maxReadBytes = 65_536, approval }: FilesOptions): Tool[] => {
  const root = createWorkspace(workspace);
  const reading = [listFiles(root), readFile(root, maxReadBytes), globFiles(root), grepFiles(root)];
  if (readOnly) return reading as Tool[];
  const lock = createLock();
  const permission = approval ? { approval } : {};
  return [
    ...reading,
    { ...writeFile(root, lock), ...permission },
    { ...editFile(root, lock), ...permission },
  ] as Tool[];
};

const MAX_LISTED = 1000;
const MAX_WRITE = 10 * 1024 * 1024;
/** A written file up to this size also becomes a file event with its bytes. */
const MAX_SHOWN = 256 * 1024;

const path = z.string().max(4096).describe("Relative to the workspace, with slashes, such as notes/today.md");
const where = path.optional().describe("The directory to look in, relative to the workspace. Default: all of it");
const everything = z.boolean().optional().describe("Also look into node_modules and .git, which are otherwise skipped");

const listFiles = (root: Workspace) =>
  defineTool({
    name: "list_files",
    description:
      "Lists the contents of a directory in the workspace: one name per line, directories with a trailing slash, files with their size. Does not look into subdirectories; use glob_files for that.",
    input: z.object({ path: where }),
    doing: ({ path: at }) => `Listing ${at ?? "the workspace"}…`,
    run: ({ path: at = "" }) =>
      root.inDirectory(at, async (directory) => {
        const entries = await directory.list(MAX_LISTED + 1);
        const lines = await Promise.all(entries.slice(0, MAX_LISTED).map((entry) => describe(directory, entry.name)));
        if (entries.length > MAX_LISTED)
          lines.push(`[There are more than ${MAX_LISTED}. Use glob_files with a pattern.]`);
        return lines.join("\n") || "The directory is empty.";
      }),
  });

const describe = async (directory: Directory, name: string): Promise<string> => {
  const stats = await directory.stat(name);
  if (stats?.isDirectory()) return `${name}/`;
  if (stats?.isFile()) return `${name} (${size(stats.size)})`;
  return `${name} (${stats?.isSymbolicLink() ? "a link, not followed" : "not a file"})`;
};

const readFile = (root: Workspace, maxBytes: number) =>
  defineTool({
    name: "read_file",
    description:
      "Reads a text file in the workspace. Returns its lines unchanged, starting at line `offset`, at most `limit`. A long file is returned in pieces: the note at the end gives the next offset.",
    input: z.object({
      path,
      offset: z.int().min(1).optional().describe("The first line to read, counted from 1. Default: 1"),
      limit: z.int().min(1).max(100_000).optional().describe("The maximum number of lines to read. Default: 2000"),
    }),
    doing: ({ path: at }) => `Reading ${at}…`,
    run: ({ path: at, offset = 1, limit = 2000 }, { signal }) =>
      root.inFile(at, async (file) => {
        const stats = await file.stat();
        const { buffer, bytesRead } = await file.read(Buffer.alloc(8192), 0, 8192, 0);
        const binary = binaryKind(buffer.subarray(0, bytesRead));
        if (binary) throw new Refusal("binary", `${at} is ${binary} (${size(stats.size)}) and cannot be read as text.`);
        const { text, lines, more, cut } = await readLines(file, { offset, limit, maxBytes, signal });
        if (!text) return `${at} is empty.`;
        if (cut)
          return noted(
            text,
            `Line ${offset} is longer than ${size(maxBytes)} and was cut. Continue with offset ${offset + 1}, or use grep_files.`,
          );
        if (!more)
          return offset === 1 ? text : noted(text, `Lines ${offset} to ${offset + lines - 1}, the end of the file.`);
        return noted(
          text,
          `Lines ${offset} to ${offset + lines - 1} of a longer file (${size(stats.size)}). Continue with offset ${offset + lines}.`,
        );
      }),
  });

/** The note is a separate part, so the first part contains only the file. */
const noted = (text: string, note: string) =>
  toolResult([
    { type: "text", text },
    { type: "text", text: `[${note}]` },
  ]);

const writeFile = (root: Workspace, lock: Lock) =>
  defineTool({
    name: "write_file",
    description:
      "Writes a text file in the workspace: creates it, with any missing directories, or replaces its content. To change part of a file, use edit_file.",
    input: z.object({ path, content: z.string().max(MAX_WRITE).describe("The whole content of the file") }),
    doing: ({ path: at }) => `Writing ${at}…`,
    run: ({ path: at, content }, context) =>
      lock(context.signal, async () => {
        requireWritable(at);
        const change = await root.inParent(
          at,
          (directory, name) => replaceFile(directory, name, content, { signal: context.signal }),
          { create: true },
        );
        await show(context, at, content, change);
        const lines = content.split("\n").length - (content.endsWith("\n") || content === "" ? 1 : 0);
        return `${change === "created" ? "Wrote" : "Replaced"} ${at}: ${lines} ${lines === 1 ? "line" : "lines"}, ${size(Buffer.byteLength(content))}.`;
      }),
  });

const editFile = (root: Workspace, lock: Lock) =>
  defineTool({
    name: "edit_file",
    description:
      "Changes part of a text file in the workspace: replaces the text `find` with `replace`. `find` must match the file exactly, including spaces and line breaks, and must occur only once. Include enough surrounding lines, or set `all` to replace every occurrence.",
    input: z.object({
      path,
      find: z.string().min(1).describe("The exact text to replace"),
      replace: z.string().max(MAX_WRITE).describe("The new text; empty to delete"),
      all: z.boolean().optional().describe("Replace every occurrence"),
    }),
    doing: ({ path: at }) => `Editing ${at}…`,
    run: (input, context) =>
      lock(context.signal, async () => {
        requireWritable(input.path);
        const { text, count } = await root.inParent(input.path, async (directory, name) => {
          const file = await directory.file(name);
          try {
            const expected = await file.stat();
            const edited = editText(await readText(file, MAX_WRITE, context.signal), input);
            await replaceFile(directory, name, edited.text, { expected, signal: context.signal });
            return edited;
          } finally {
            await file.close();
          }
        });
        await show(context, input.path, text, "changed");
        return `Edited ${input.path}: ${count === 1 ? "one place" : `${count} places`}.`;
      }),
  });

const requireWritable = (at: string): void => {
  if (!namesOf(at).some(isGitDirectory)) return;
  throw new Refusal(
    "protected",
    `${at} belongs to git, which runs its contents. It cannot be written. Use git itself.`,
  );
};

const show = async (
  context: ToolContext,
  name: string,
  content: string,
  change: "created" | "changed",
): Promise<void> => {
  if (Buffer.byteLength(content) <= MAX_SHOWN) await context.file({ name, change, bytes: content });
};

const globFiles = (root: Workspace) =>
  defineTool({
    name: "glob_files",
    description:
      "Finds files in the workspace whose path matches a pattern: `*` and `?` within a name, `**` for any directories, [abc] and {a,b}. `*.md` matches only at the top level, `**/*.md` matches everywhere. One path per line.",
    input: z.object({ pattern: z.string().min(1).max(1000), path: where, everything }),
    doing: ({ pattern }) => `Looking for ${pattern}…`,
    run: ({ pattern, path: at = "", everything: all = false }, { signal }) => {
      const fits = compileGlob(pattern);
      return root.inDirectory(at, async (directory) => {
        const found: string[] = [];
        const whole = await walk(directory, { skip: !all, signal }, (file) => {
          if (fits(file.path)) found.push(under(at, file.path));
          return found.length < MAX_LISTED;
        });
        if (found.length >= MAX_LISTED) found.push(`[Stopped at ${MAX_LISTED} files. Use a narrower pattern.]`);
        else if (!whole) found.push("[There are too many files to list them all. Give a path.]");
        return found.join("\n") || `No file matches ${pattern}.`;
      });
    },
  });

const grepFiles = (root: Workspace) =>
  defineTool({
    name: "grep_files",
    description:
      "Searches the text of files in the workspace. `text` is plain text unless `regex` is set (JavaScript's syntax). Returns one line per match: path:line: the line. Binary files are skipped.",
    input: z.object({
      text: z.string().min(1).max(1000).describe("What to look for, within a line"),
      regex: z.boolean().optional().describe("Treat `text` as a regular expression"),
      ignoreCase: z.boolean().optional(),
      path: where,
      glob: z
        .string()
        .min(1)
        .max(1000)
        .optional()
        .describe("Only files whose path matches this pattern, such as **/*.ts"),
      everything,
    }),
    doing: ({ text }) => `Searching for ${text.slice(0, 60)}…`,
    run: ({ text, regex, ignoreCase = false, path: at = "", glob, everything: all = false }, { signal }) => {
      const wanted = glob ? compileGlob(glob) : () => true;
      return root.inDirectory(at, async (directory) => {
        const matcher = regex ? regexMatcher(text, ignoreCase) : substringMatcher(text, ignoreCase);
        try {
          const { matches, stopped } = await grep(directory, matcher, { wanted, skip: !all, signal });
          const lines = matches.map((match) => `${under(at, match.path)}:${match.line}: ${match.text}`);
          if (stopped) lines.push(`[${stopped} Use a more specific text, path or glob.]`);
          return lines.join("\n") || "No matches.";
        } finally {
          await matcher.close();
        }
      });
    },
  });

const under = (directory: string, name: string): string => [...namesOf(directory), name].join("/");

const size = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} bytes`
    : bytes < 1024 ** 2
      ? `${(bytes / 1024).toFixed(1)} KB`
      : `${(bytes / 1024 ** 2).toFixed(1)} MB`;

type Lock = <Result>(signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>;

/** Serializes writes: calls of one step run in parallel, and two edits of one file must both take effect. */
const createLock = (): Lock => {
  let last: Promise<unknown> = Promise.resolve();
  return (signal, work) => {
    const mine = last.then(() => {
      signal.throwIfAborted();
      return work();
    });
    last = mine.catch(() => undefined);
    return mine;
  };
};
