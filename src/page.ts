import { EVENT_TYPES } from "./events.ts";

/** The plain page at `/`: starts a run or opens `/?run=<run>` (`&token=` to read only), shows it, answers and cancels. */
export const page = String.raw`<!doctype html><html lang="en"><meta charset="utf-8"><title>Runcast</title><base target="_blank">
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><style>
:root { color-scheme: light dark; --page: light-dark(#f5f6f8, #101318); --card: light-dark(#fff, #191d24);
  --line: light-dark(#dfe3e8, #2c333d); --soft: light-dark(#667080, #939dab); --warm: light-dark(#fff8e6, #2a2415);
  --blue: #3b78e7; --green: light-dark(#17804a, #52c98a); --red: light-dark(#c4302b, #ff7b72); --amber: light-dark(#9a6200, #e3b341); }
* { box-sizing: border-box; } [hidden], .items:empty, .you + .step, .step:first-child { display: none !important; }
body { margin: 0; background: var(--page); color: light-dark(#1b1f24, #e6e9ee); font: 15px/1.5 system-ui, sans-serif; }
header, main, footer { max-width: 46rem; margin: 0 auto; padding: .75rem 1rem; } main { padding-bottom: 6rem; }
header, form, .step, .head, .row { display: flex; gap: .5rem; align-items: baseline; } .row { flex-wrap: wrap; }
header { position: sticky; top: 0; background: var(--page); z-index: 1; } .step { align-items: center; }
footer { position: fixed; inset: auto 0 0; padding-top: 1.5rem; background: linear-gradient(transparent, var(--page) 1.2rem); }
form, .card { background: var(--card); border: 1px solid var(--line); border-radius: .7rem; padding: .5rem .75rem; }
input, textarea, button { font: inherit; color: inherit; background: transparent; border: 1px solid var(--line);
  border-radius: .5rem; padding: .3rem .7rem; } input, textarea { width: 100%; } form input { border: 0; outline: 0; }
textarea, pre, .args { font: 12.5px/1.5 ui-monospace, monospace; } textarea { height: 9.5rem; } pre { margin: 0; overflow: auto;
  max-height: 11rem; } pre, .text, .you, .bad, .whole { white-space: pre-wrap; overflow-wrap: anywhere; }
button { font-size: .9em; cursor: pointer; } .main, .you { background: var(--blue); color: #fff; border-color: transparent; }
.soft, .step, .cite, details, time, .stop { color: var(--soft); font-size: .85em; } .stop { padding: 0 .5rem; }
#about, .args { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; color: var(--soft); cursor: pointer; }
#about, .args:not(.whole) { white-space: nowrap; } .gone { text-decoration: line-through; } summary { cursor: pointer; }
.you { border-radius: 1rem 1rem .2rem 1rem; padding: .5rem .9rem; width: fit-content; margin: .5rem 0 1rem auto; max-width: 85%; }
.items > * + *, main > * + *, .form > * + *, .card > * + * { margin-top: .5rem; } .cut::after { content: " (cut off)"; }
.agent { background: none; border-width: 0 0 0 3px; border-color: var(--blue); border-radius: 0; padding: 0 0 0 .8rem; }
.ask { background: var(--warm); border-color: var(--amber); } .items > .cite { display: inline-block; margin: 0 .9rem 0 0; }
.out { background: var(--page); padding: .4rem .6rem; } progress { width: 100%; height: .4rem; accent-color: var(--blue); }
.step::after { content: ""; flex: 1; border-top: 1px solid var(--line); } .mark { width: 1em; text-align: center; flex: none; }
.bad, .lost, .error, .timeout, .interrupted { color: var(--red); } .live, .ok, .done { color: var(--green); }
.warning, .denied, .cancelled { color: var(--amber); } @keyframes turn { to { rotate: 1turn; } } a { color: var(--blue); }
.executing::before { content: ""; display: inline-block; width: .7em; height: .7em; border-radius: 50%;
  border: 2px solid var(--line); border-top-color: var(--blue); animation: turn .8s linear infinite; } #is-lost .executing::before { animation: none; }
</style>
<header><b>Runcast</b><span id="about"></span><span id="link"></span><button id="stop" class="stop" hidden>Stop</button>
</header><main id="main"></main><footer><form id="form"><input id="message" placeholder="Message the agent…"
 aria-label="Message" autocomplete="off" autofocus><button class="main">Run</button></form></footer>
<script type="module">
const $ = (id) => document.getElementById(id), main = $("main"), query = new URLSearchParams(location.search);
const run = query.get("run"), here = "runs/" + run, nodes = new Map(), clocks = new Map(), root = { items: main };
let token = query.get("token"), last = 0, latest = 0, isEnded = false, isAtEnd = true, waiting, source;
const mayAct = !token || Boolean(sessionStorage.secret), withToken = () => (token ? "?token=" + token : "");
const make = (tag, name, ...inside) => { const made = document.createElement(tag); made.className = name;
  made.append(...inside.filter((part) => part !== undefined)); return made; };
const time = (ms) => ms < 1000 ? Math.max(0, Math.round(ms)) + " ms" : (ms / 1000).toFixed(ms < 6e4 ? 1 : 0) + " s";
const glyphs = { pending: "○", executing: "", ok: "✓", done: "✓", deferred: "→", denied: "⊘", cancelled: "⊘" };
const mark = (made, outcome) => { made.className = "mark " + outcome; made.textContent = glyphs[outcome] ?? "✕"; return made; };
const show = (value, space) => typeof value === "string" ? value : JSON.stringify(value, null, space);
const state = (text, name) => { $("link").className = "soft " + name; $("link").textContent = text; document.body.id = "is-" + name; };
const fail = (error) => state(error.message, document.body.id === "is-live" ? "live" : "lost");
const call = async (path, body) => {
  const headers = { "content-type": "application/json", accept: "application/json", authorization: "Bearer " + (sessionStorage.secret ?? "") };
  const response = await fetch(path, { headers, ...(body && { method: "POST", body: JSON.stringify(body) }) });
  const { error, ...answer } = await response.json().catch(() => ({})); if (response.ok) return answer;
  if (response.status === 401 && mayAct && (sessionStorage.secret = prompt("This server wants its key:") ?? "")) return call(path, body);
  throw new Error(error ? error.message + (error.hint ? "; " + error.hint : "") : "The server answered " + response.status);
};
const button = (text, name, press) => { const made = make("button", name, text); made.onclick = () => { made.disabled = true;
  (async () => press())().catch((error) => { made.disabled = false; made.after(make("span", "bad", error.message)); }); }; return made; };
// Short text nodes, one after the other: a token costs the same however long the text has become.
const append = (home, text) => { const end = home.lastChild;
  if (end?.nodeType === 3 && end.length < 1000) end.appendData(text); else home.append(text); };
const ownerOf = ({ call, agent }) => nodes.get(call) ?? nodes.get(agent) ?? root;
const add = (event, id, node) => { nodes.set(id, node); ownerOf(event).items.append(node.box); return node; };
const say = (name, event, ...inside) => ownerOf(event).items.append(make("div", name, ...inside));
const problem = ({ message, hint = "" }) => make("div", "bad", message + "\n" + hint);
const link = (text, url) => /^(https?:|runs\/)/.test(url) ? Object.assign(make("a", "", text), { href: url }) : text;
const contentOf = ({ text, value, head, url, name }) => text ?? (value === undefined ? head ?? url ?? name ?? "" : show(value));
const card = (owner, id, name, title, target) => { const sign = mark(make("span"), "pending"), args = make("span", "args");
  const clock = make("time", ""), items = make("div", "items"), stop = button("Stop", "stop", () => call(here + "/cancel", target));
  args.onclick = () => args.classList.toggle("whole"); stop.hidden = !mayAct;
  const box = make("div", "card " + name, make("div", "head", sign, make("b", "", title), args, clock, stop), items);
  return add(owner, id, { box, sign, args, text: args, clock, items, stop, put: (made) => (items.before(made), made) }); };
const begin = (node, at) => { if (node.sign) mark(node.sign, "executing"); clocks.set(node.clock, node.start = at); return node; };
const took = ({ ms, at, outcome, cut }, since) => ms === undefined && (cut || outcome === "interrupted") ? "" : time(ms ?? at - since);
const stopClock = ({ clock, start }, event) => { clocks.delete(clock); if (start) clock.textContent = took(event, start); };
const finish = (node, event) => { mark(node.sign, event.outcome); node.stop.remove(); stopClock(node, event);
  for (const part of ["note", "bar", "status"]) node[part]?.remove(); if (event.error) node.box.append(problem(event.error));
  if (!/ok|error|done/.test(event.outcome)) node.clock.before(make("span", "soft", event.outcome)); };
const part = (e) => { const text = make("div", "text"), clock = make("time", ""), word = make("span", "", "Thinking ");
  nodes.get(e.replaces)?.box.classList.add("gone"); if (e.type === "text-start") return add(e, e.part, { box: text, text });
  begin(add(e, e.part, { box: make("details", "", make("summary", "", word, clock), text), text, word, clock }), e.at); };
const cite = (e) => { const url = e.url ?? (e.file && here + "/files/" + encodeURIComponent(e.file) + withToken());
  const text = e.title ?? e.name ?? url ?? "a source"; say("cite", e, e.type === "citation" ? "※ " : "▤ ", url ? link(text, url) : text); };
const more = ({ part, call, delta }) => append(nodes.get(part ?? call).text, delta);
const on = { "text-start": part, "thinking-start": part, "text-delta": more, "thinking-delta": more, "tool-input-delta": more,
  "citation": cite, "file": cite, "embed": cite, "ask-start": (e) => ask(e), "agent-end": (e) => finish(nodes.get(e.agent), e),
  "run-start": (e) => { $("about").textContent = [e.name, e.model].filter(Boolean).join(" · "); $("stop").hidden = !mayAct;
    root.start = e.at; const text = (e.message?.content ?? []).map((piece) => piece.text ?? "[" + piece.type + "]").join("\n");
    document.title = (text.slice(0, 40) || e.run) + " · Runcast"; if (text) main.append(make("div", "you", text)); },
  "step-start": (e) => say("step", e, "next step"),
  "step-retry": (e) => say("warning", e, "Try " + e.attempt + " in " + time(e.wait) + ": " + e.error.message),
  "text-end": (e) => nodes.get(e.part).box.classList.toggle("cut", e.cut === true),
  "thinking-end": (e) => { const node = nodes.get(e.part); stopClock(node, e); node.word.textContent = e.cut ? "Thought, cut off" : "Thought for "; },
  "tool-start": ({ agent, call, name, title = name }) => card({ agent }, call, "call", title, { call }),
  "tool-input-end": (e) => e.input === undefined || append(nodes.get(e.call).args, show(e.input)),
  "tool-execute": (e) => { const { args } = begin(nodes.get(e.call), e.at); if (e.input) args.textContent = "edited: " + show(e.input); },
  "tool-progress": (e) => { const node = nodes.get(e.call); (node.note ??= node.put(make("div", "soft"))).textContent = e.note ?? "";
    if (e.fraction !== undefined) (node.bar ??= node.put(make("progress", ""))).value = e.fraction; },
  "tool-output-delta": (e) => { const out = (nodes.get(e.call).out ??= nodes.get(e.call).put(make("pre", "out soft")));
    append(out, e.delta); if (out.childNodes.length > 64) out.firstChild.remove(); out.scrollTop = 1e6; },
  "tool-end": (e) => { const node = nodes.get(e.call), text = (e.content ?? []).map(contentOf).join("\n"); finish(node, e);
    if (text && text !== e.error?.message) node.box.append(make("pre", "soft", text)); },
  "agent-start": ({ call, parent, agent, name, task = "", at }) => {
    begin(card({ call, agent: parent }, agent, "agent", name, { agent }), at).args.textContent = task; },
  "ask-end": ({ ask, outcome, answer: { allow, input, value } = {}, by }) => { const { form } = nodes.get(ask);
    const word = outcome !== "answered" ? outcome : allow === false ? "Denied" : !allow ? "Answered: " + show(value)
      : input === undefined ? "Allowed" : "Allowed with edits"; form.replaceWith(word + (by ? " by " + by : "")); },
  "status": (e) => { const node = ownerOf(e); node.status?.remove(); node.status = make("div", "soft", e.text);
    if (e.text) (node.put ?? ((made) => main.append(made)))(node.status); },
  "notice": (e) => say({ error: "bad", warning: "warning" }[e.level] ?? "soft", e, e.text),
  "run-end": (e) => { isEnded = true; source.close(); state("finished", ""); $("stop").hidden = true; root.status?.remove();
    const tokens = e.usage && " · " + (e.usage.input ?? "?") + " tokens in, " + (e.usage.output ?? "?") + " out";
    say("soft end", {}, mark(make("span"), e.outcome), " " + e.outcome, took(e, root.start) && " in " + took(e, root.start), tokens);
    if (e.error) main.append(problem(e.error)); },
};
const ask = (e) => {
  const send = (answer) => call(here + "/asks/" + encodeURIComponent(e.ask), answer), before = show(e.value, 2);
  const isYesNo = e.kind === "approval" || e.kind === "confirmation", canEdit = isYesNo && e.allows?.includes("edit");
  const field = make(canEdit || e.kind === "result" ? "textarea" : "input", ""); field.value = before ?? "";
  const typed = () => { try { return e.schema?.type === "string" ? field.value : JSON.parse(field.value); }
    catch { if (canEdit) throw new Error("This is not JSON."); return field.value; } };
  const allow = (more) => send({ allow: true, ...more, ...(canEdit && field.value !== before && { input: typed() }) });
  const shown = isYesNo && !canEdit ? before && make("pre", "", before) : e.options ? undefined : field;
  const choices = e.options?.map(({ value, label, description = "" }) => Object.assign(button(label ?? show(value), "",
    () => send({ value })), { title: description })) ?? [button("Send", "main", () => send({ value: typed() }))];
  const always = e.allows?.includes("always") ? [button("Always allow", "", () => allow({ always: true }))] : [];
  const yesNo = [button("Allow", "main", () => allow()), ...always, button("Deny", "", () => send({ allow: false }))];
  const row = make("div", "row", ...(mayAct ? (isYesNo ? yesNo : choices) : ["This link only allows watching."]));
  const form = make("div", "form", shown, row), text = e.message && make("div", "text", e.message);
  add(e, e.ask, { box: make("div", "card ask", make("b", "", e.title ?? "The run asks you"), text, form), form }); };
const take = ({ lastEventId, data }) => { if (Number(lastEventId) <= last) return; last = Number(lastEventId);
  const event = JSON.parse(data); latest = Math.max(latest, event.at); waiting = undefined; on[event.type]?.(event); };
const follow = () => {
  source = new EventSource(here + "/events?" + new URLSearchParams({ after: last, ...(token && { token }) }));
  for (const type of ${JSON.stringify(EVENT_TYPES)}) source.addEventListener(type, take);
  source.addEventListener("heartbeat", ({ data }) => { waiting = JSON.parse(data); }); source.onopen = () => state("● live", "live");
  source.onerror = () => { if (isEnded) return; state("○ reconnecting", "lost"); const again = () => setTimeout(open, 2000);
    if (source.readyState === 2) call(here + withToken()).then(again, (error) => (error instanceof TypeError ? again : fail)(error)); };
};
addEventListener("scroll", () => { isAtEnd = document.documentElement.scrollHeight - scrollY - innerHeight < 80; });
setInterval(() => { const now = Math.max(Date.now(), latest);
  if (document.body.id === "is-live") for (const [clock, since] of clocks) clock.textContent = time(now - since);
  if (waiting && !isEnded) state("● live, waiting for " + waiting.waiting + " " + time(now - waiting.since), "live");
  if (isAtEnd) scrollTo(0, document.documentElement.scrollHeight); }, 100);
const open = () => (!token && sessionStorage.secret ? call(here + "/tokens", {}) : Promise.resolve({ token }))
  .then((given) => { token = given.token; follow(); }).catch(fail);
$("stop").onclick = () => call(here + "/cancel", {}).catch(fail); $("form").hidden = !mayAct;
$("form").onsubmit = (event) => { event.preventDefault(); const message = $("message").value.trim();
  if (message) call("runs", { message }).then((started) => { location.search = "?run=" + started.run; }, fail); };
if (run) open(); else main.append(make("p", "soft", "Start a run and watch every step, thought and tool call while it happens."));
</script></html>
`;
