import { createHash } from "node:crypto";
import type { Entry } from "../events.ts";
import { runTitle } from "../view.ts";

export interface SavedRun {
  readonly run: string;
  readonly entries: readonly Entry[];
  readonly addresses: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
  readonly script: string;
}

/** An HTML file that plays a run and makes no network requests. Its policy forbids them. */
export const documentOf = ({ run, entries, addresses, notes, script }: SavedRun): string => {
  const start = entries.find(({ event }) => event.type === "run-start")?.event;
  const message = start?.type === "run-start" ? start.message : undefined;
  const title = runTitle({ message, root: { name: "" }, run: `Run ${run}` }, 80);
  const at = `${new Date(entries[0]?.at ?? 0).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  // The last line of a module may be its exports. Code appended after it runs as well.
  const code = `${script.replaceAll("</script", String.raw`<\/script`).replaceAll("<!--", String.raw`<\!--`)}\n${PLAY}`;
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(code)}`,
    `style-src ${hashOf(STYLE)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const omissions =
    notes.length === 0
      ? "<p>No secrets were found, so nothing was removed.</p>"
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
<noscript><p>This file needs JavaScript to play the run, but scripts are disabled here.</p></noscript>
</main>
<footer>
<p>Run ${escaped(run)}, started ${escaped(at)}, saved as recorded. This file makes no network requests.</p>
<details><summary>What was removed</summary>
${omissions}
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

/** Escapes everything that could close the surrounding element. */
const json = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
