import { readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { Workspace } from "./call.ts";

const LARGEST = 1024 * 1024;

/** The agent's working directory. */
export const workspaceAt = (cwd: string): Workspace => ({
  relative(file) {
    const relative = path.isAbsolute(file) ? path.relative(cwd, file) : file;
    return relative === "" || relative.startsWith("..") ? file : relative;
  },
  lineOf(file, text) {
    if (text === "") return undefined;
    const content = read(cwd, file);
    const found = content?.indexOf(text) ?? -1;
    // A text that occurs twice is ambiguous.
    if (content === undefined || found < 0 || content.indexOf(text, found + 1) >= 0) return undefined;
    let line = 1;
    for (let at = content.indexOf("\n"); at >= 0 && at < found; at = content.indexOf("\n", at + 1)) line++;
    return line;
  },
});

/** Reads a text file inside the directory. */
const read = (cwd: string, file: string): string | undefined => {
  try {
    const real = realpathSync(path.resolve(cwd, file));
    if (!real.startsWith(cwd + path.sep)) return undefined;
    const found = statSync(real);
    // Anything else, such as a pipe, could block the process.
    return found.isFile() && found.size <= LARGEST ? readFileSync(real, "utf8") : undefined;
  } catch {
    return undefined;
  }
};
