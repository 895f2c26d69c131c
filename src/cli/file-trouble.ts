import path from "node:path";
import { CommandError } from "./command.ts";

/** Explains why a file cannot be read or written, and what to do about it. */
export const fileTrouble = (error: unknown, file: string, doing: "read" | "write"): CommandError => {
  const { code, message } = error as NodeJS.ErrnoException;
  const say = (text: string) => new CommandError(text, { cause: error });
  switch (code) {
    case "ENOENT":
      if (doing === "read") return say(`there is no file ${file}`);
      return say(
        `cannot write ${file}: there is no directory ${path.dirname(file)}; create it, or choose another file`,
      );
    case "EISDIR":
      return say(`${file} is a directory; name a file in it`);
    case "ENOTDIR":
      return say(`cannot ${doing} ${file}: part of the path is not a directory; check the path`);
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return say(`cannot ${doing} ${file}: permission denied; check who owns it, or choose another file`);
    case "ENOSPC":
      return say(`cannot write ${file}: the disk is full; free some space, or choose another directory`);
    default:
      return say(`cannot ${doing} ${file}: ${message}`);
  }
};
