import type { Entry } from "../events.ts";
import { documentOf } from "./document.ts";
import { type FoundFile, FILE_BYTES, inlineFiles } from "./files.ts";
import { redactEntries } from "./redact.ts";

export interface BuildOptions {
  readonly run: string;
  /** The script of `<run-view>`, in one file. */
  readonly script: string;
  /** Texts and patterns to redact, in addition to the built-in rules. */
  readonly redact: readonly (string | RegExp)[];
}

/** Builds the HTML file of a run without secrets. The file lists the rules that redacted something. */
export const buildHtml = (
  { run, script, redact }: BuildOptions,
  all: readonly Entry[],
  files: readonly FoundFile[],
  tooLarge: number,
): string => {
  const { entries, counts, text } = redactEntries(all, redact);
  const addresses = inlineFiles(files, text);
  const notes = [
    ...[...counts].map(([rule, count]) => `${WORDS[rule] ?? rule}: ${count} removed`),
    ...(tooLarge > 0
      ? [`files over ${FILE_BYTES / 1024 / 1024} MB, or too many for one page: ${tooLarge} removed`]
      : []),
    ...(entries.at(-1)?.event.type === "run-end" ? [] : ["the run had not ended when this was saved"]),
  ];
  return documentOf({ run, entries, addresses, notes, script });
};

const WORDS: Readonly<Record<string, string>> = {
  field: "passwords, tokens and keys in fields with such names",
  configured: "values that this server is configured to remove",
  "seen elsewhere": "secrets found elsewhere in the run",
};
