import { createHash } from "node:crypto";
import type { Entry } from "./events.ts";
import { FILE_BYTES, inlineFiles } from "./html-export/files.ts";
import { redactEntries } from "./html-export/redact.ts";
import type { Log } from "./log.ts";

export interface HtmlExportOptions {
  /** The script of `<run-view>`, in one piece. */
  readonly script: string;
  /** Texts and patterns to leave out, besides what looks like a secret. */
  readonly redact?: readonly (string | RegExp)[];
}

const BATCH = 1000;

/**
 * A run as one HTML file that plays it and needs nothing else: its policy forbids any network. Secrets are left out by rule, and the
 * file says which rules have left something out.
 */
export const exportHtml = async (log: Log, run: string, { script, redact }: HtmlExportOptions): Promise<string> => {
  const all: Entry[] = [];
  for (;;) {
    const entries = await log.read(run, all.length, BATCH);
    if (entries.length === 0) break;
    all.push(...entries);
  }
  const { entries, counts, text } = redactEntries(all, redact);
  const { addresses, tooLarge } = await inlineFiles(log, run, entries, text);
  const notes = [
    ...[...counts].map(([rule, count]) => `${WORDS[rule] ?? rule}: ${count} left out`),
    ...(tooLarge > 0
      ? [`files over ${FILE_BYTES / 1024 / 1024} MB, or too many for one page: ${tooLarge} left out`]
      : []),
    ...(entries.at(-1)?.event.type === "run-end" ? [] : ["the run was still going on when this was saved"]),
  ];
  return documentOf({ run, entries, addresses, notes, script });
};

const WORDS: Readonly<Record<string, string>> = {
  field: "passwords, tokens and keys by the name of their field",
  configured: "what this server is set to leave out",
  "seen elsewhere": "secrets that were told apart elsewhere in the run",
};

interface Document {
  readonly run: string;
  readonly entries: readonly Entry[];
  readonly addresses: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
  readonly script: string;
}

const documentOf = ({ run, entries, addresses, notes, script }: Document): string => {
  const start = entries.find(({ event }) => event.type === "run-start")?.event;
  const asked = start?.type === "run-start" ? (start.message?.content ?? []) : [];
  const words = asked.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
  const title = words.replace(/\s+/g, " ").trim().slice(0, 80) || `Run ${run}`;
  const at = `${new Date(entries[0]?.at ?? 0).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  // A module's last line may name its exports: whatever comes after it runs as well.
  const code = `${script.replaceAll("</script", String.raw`<\/script`).replaceAll("<!--", String.raw`<\!--`)}\n${PLAY}`;
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(code)}`,
    `style-src ${hashOf(STYLE)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const told =
    notes.length === 0
      ? "<p>Nothing in it looked like a secret; nothing was left out.</p>"
      : `<ul>${notes.map((note) => `<li>${escaped(note)}</li>`).join("")}</ul>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="runcast">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<run-view controls></run-view>
<noscript><p>This file plays a run with a script of its own. The script is not allowed to run here.</p></noscript>
</main>
<footer>
<p>Run ${escaped(run)}, started ${escaped(at)}, saved as it was recorded. This file asks nothing of the network.</p>
<details><summary>What was left out</summary>
${told}
</details>
</footer>
<script type="application/json" id="run">${json({ entries, files: addresses })}</script>
<script type="module">${code}</script>
</body>
</html>
`;
};

const PLAY = `const recorded = JSON.parse(document.querySelector("#run").textContent);
Object.assign(document.querySelector("run-view"), recorded);
`;

const STYLE = `:root{color-scheme:light dark}
body{margin:0;background:light-dark(#fff,#0f1216);color:light-dark(#191d23,#e7eaef);font:15px/1.55 system-ui,sans-serif}
main,footer{max-width:46rem;margin:0 auto;padding:1.25rem 1rem}
h1{font-size:1.1rem;margin:0 0 1rem;overflow-wrap:anywhere}
footer{font-size:.87em;color:light-dark(#5b6572,#9aa5b4);overflow-wrap:anywhere}
footer p{margin:0 0 .5rem}
summary{cursor:pointer}
`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Nothing in it can end the element that it lies in. */
const json = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
