/** The element's styles. Colors can be overridden through custom properties on the host. */
export const sheet = `
:host {
  color-scheme: light dark;
  --run-ink: light-dark(#191d23, #e7eaef);
  --run-soft: light-dark(#5b6572, #9aa5b4);
  --run-page: light-dark(#ffffff, #0f1216);
  --run-card: light-dark(#f7f8fa, #171b21);
  --run-line: light-dark(#dde1e7, #2b323c);
  --run-accent: light-dark(#2c5fd0, #7aa5ff);
  --run-on-accent: light-dark(#ffffff, #0b1020);
  --run-pending: light-dark(#8a5a00, #e3b341);
  --run-executing: light-dark(#7238c9, #c4a1ff);
  --run-ok: light-dark(#147a45, #52c98a);
  --run-bad: light-dark(#bf2a25, #ff8079);
  --run-warm: light-dark(#fff6df, #2a2415);
  display: block;
  color: var(--run-ink);
  background: var(--run-page);
  font: 15px/1.55 system-ui, sans-serif;
  overflow-wrap: anywhere;
}
:host([hidden]), [hidden], .labelled:has(> [hidden]), .items:empty, .slots:empty { display: none !important; }
* { box-sizing: border-box; }
p, pre, hr { margin: 0; }
/* Text in another direction does not reorder what surrounds it. */
p, pre, b, .brief { unicode-bidi: plaintext; }
.soft { color: var(--run-soft); }
.notice-error { color: var(--run-bad); }
.run, .items, .result { display: flex; flex-direction: column; gap: 0.6rem; min-width: 0; }
header { display: flex; flex-direction: column; gap: 0.6rem; }
.head, summary, .end, .file, .aside { display: flex; align-items: center; gap: 0.45rem; min-width: 0; }
.head { flex-wrap: wrap; font-size: 0.87em; }
.link { margin-left: auto; }
.asked { align-self: end; max-width: 85%; padding: 0.5rem 0.9rem; border-radius: 1rem; background: var(--run-card); border: 1px solid var(--run-line); white-space: pre-wrap; }
footer, .slots { display: flex; flex-direction: column; gap: 0.4rem; }
footer { scroll-margin-bottom: 10rem; }
.status, .end, .aside, .file { font-size: 0.87em; }
.status { color: var(--run-soft); }
.icon { flex: none; width: 1rem; height: 1rem; fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round; }
.icon-play { fill: currentColor; }
.icon-executing { animation: turn 0.9s linear infinite; }
:host([data-still]) .icon-executing { animation: none; }
@keyframes turn { to { rotate: 1turn; } }
@media (prefers-reduced-motion: reduce) { .icon-executing { animation: none; } }
details { border: 1px solid var(--run-line); border-radius: 0.6rem; background: var(--run-card); }
details[open] { padding-bottom: 0.6rem; }
details > :not(summary) { margin: 0 0.75rem; }
details > :not(summary) + :not(summary) { margin-top: 0.5rem; }
summary { list-style: none; cursor: pointer; padding: 0.45rem 0.75rem; border-radius: 0.6rem; font-size: 0.93em; }
summary::-webkit-details-marker { display: none; }
summary::after { content: ""; flex: none; margin-left: auto; width: 0.4rem; height: 0.4rem; border: solid var(--run-soft); border-width: 0 1.5px 1.5px 0; rotate: -45deg; }
details[open] > summary::after { rotate: 45deg; }
pre:focus-visible, .scroll:focus-visible, summary:focus-visible, button:focus-visible, a:focus-visible, select:focus-visible, input:focus-visible { outline: 2px solid var(--run-accent); outline-offset: 1px; }
summary b { flex: none; max-width: 60%; overflow: hidden; text-overflow: ellipsis; }
.brief { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-family: ui-monospace, monospace; font-size: 0.87em; }
summary .time { margin-left: auto; }
summary:has(> .time:not([hidden]))::after { margin-left: 0; }
.time { flex: none; font-size: 0.87em; font-variant-numeric: tabular-nums; }
.mark { display: inline-flex; align-items: center; gap: 0.35rem; flex: none; }
.word { font-size: 0.8em; }
.edits, .repeat { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: 0.87em; }
.exit { flex: none; font-size: 0.87em; }
.exit { color: var(--run-bad); }
[data-tone="waiting"] > summary .mark, [data-tone="waiting"] > .mark, [data-tone="stopped"] > summary .mark, [data-tone="stopped"] > .mark { color: var(--run-pending); }
[data-tone="active"] > summary .mark, [data-tone="active"] > .mark { color: var(--run-executing); }
[data-tone="good"] > summary .mark, [data-tone="good"] > .mark { color: var(--run-ok); }
[data-tone="bad"] > summary .mark, [data-tone="bad"] > .mark { color: var(--run-bad); }
[data-tone="plain"] > summary .mark, [data-tone="plain"] > .mark { color: var(--run-accent); }
.problem { color: var(--run-soft); font-size: 0.93em; }
.problem[data-tone="bad"] { color: var(--run-bad); }
.slots > .soft { font-size: 0.87em; }
.plan { list-style: none; margin: 0; padding: 0; font-size: 0.93em; }
.plan [data-status="done"] .sign { color: var(--run-ok); }
.plan [data-status="active"] .sign { color: var(--run-executing); }
.advice { border: 1px solid var(--run-pending); border-radius: 0.6rem; background: var(--run-warm); padding: 0.5rem 0.75rem; font-size: 0.93em; }
.call.bare { border: 0; padding: 0; background: none; }
.call.bare > summary { display: none; }
.call.bare > :not(summary) { margin-inline: 0; }
.delegation { border: 0; background: none; font-size: 0.93em; }
.agent { border-left: 3px solid var(--run-accent); }
.agent { container-type: inline-size; }
.whole { white-space: pre-wrap; }
@container (width >= 32rem) { .whole.short { display: none; } }
.agent > summary > .icon { color: var(--run-accent); }
.thinking { background: none; color: var(--run-soft); }
.thinking .time { margin-left: 0; margin-right: auto; }
details > p { font-size: 0.93em; }
.thinking > .text { font-size: 0.93em; }
.ask { border: 1px solid var(--run-line); border-radius: 0.6rem; padding: 0.5rem 0.75rem; font-size: 0.93em; }
.ask[data-tone="waiting"] { border-color: var(--run-pending); background: var(--run-warm); }
.ask .icon, .ask .word { color: var(--run-soft); }
.ask[data-tone="waiting"] .icon, .ask[data-tone="waiting"] .word { color: var(--run-pending); }
.label { font-size: 0.8em; color: var(--run-soft); margin-bottom: 0.2rem; }
pre { font: 12.5px/1.5 ui-monospace, monospace; white-space: pre-wrap; }
.box, .code { padding: 0.4rem 0.6rem; border: 1px solid var(--run-line); border-radius: 0.4rem; background: var(--run-page); overflow: auto; }
.box { max-height: 16rem; }
code { font-family: ui-monospace, monospace; font-size: 0.9em; }
:not(pre) > code { padding: 0.1em 0.3em; border-radius: 0.3em; background: var(--run-card); box-shadow: inset 0 0 0 1px var(--run-line); }
.text > * + *, blockquote > * + *, .loose > li + li, li > * + ul, li > * + ol, li > p + p, li > * + .code { margin-top: 0.6rem; }
.tight > li > ul, .tight > li > ol { margin-top: 0; }
h1, h2, h3, h4, h5, h6 { margin: 0; font-size: 1.07em; font-weight: 600; }
h1 { font-size: 1.25em; } h2 { font-size: 1.15em; }
.text ul, .text ol { margin: 0; padding-left: 1.6em; }
.task { list-style: none; }
.task > input { float: left; margin: 0.3em 0 0 -1.4em; }
blockquote { margin: 0; border-left: 3px solid var(--run-line); padding-left: 0.75rem; color: var(--run-soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.93em; }
th, td { border: 1px solid var(--run-line); padding: 0.25rem 0.6rem; max-width: 24rem; overflow-wrap: break-word; text-align: start; }
th { background: var(--run-card); }
.left { text-align: left; } .center { text-align: center; } .right { text-align: right; }
hr { border: 0; border-top: 1px solid var(--run-line); margin: 0.8rem 0; }
a { color: var(--run-accent); }
img { max-width: 100%; max-height: 24rem; border-radius: 0.4rem; }
progress { width: calc(100% - 1.5rem); height: 0.4rem; accent-color: var(--run-executing); }
.controls { position: sticky; bottom: 0; display: flex; flex-direction: column; gap: 0.4rem; margin-top: 1rem; padding: 0.7rem 0.9rem; border: 1px solid var(--run-line); border-radius: 0.8rem; background: var(--run-card); font-size: 0.87em; }
.slider { width: 100%; margin: 0; accent-color: var(--run-accent); }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem; }
.place { margin-left: auto; font-variant-numeric: tabular-nums; }
.event-line { font-family: ui-monospace, monospace; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
button, select { font: inherit; color: inherit; border: 1px solid transparent; border-radius: 0.5rem; background: none; min-width: 2.2rem; height: 2.2rem; cursor: pointer; }
button { display: inline-flex; align-items: center; justify-content: center; }
button:hover { background: var(--run-page); }
button[aria-disabled="true"] { opacity: 0.5; cursor: not-allowed; }
button.main { background: var(--run-accent); color: var(--run-on-accent); }
select { border-color: var(--run-line); background: var(--run-page); margin-left: 0.4rem; padding: 0 0.4rem; }
`;
