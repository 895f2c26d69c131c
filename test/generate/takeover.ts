import type { Event } from "../../src/events.ts";
import { createVerifier, type OpenAgent, type OpenCall } from "../../src/verify.ts";
import type { Life, Random } from "../generate.ts";

const MAX_EVENTS = 80;

/** A life that is cut somewhere, taken over, and continued to the end of everything that stayed open. */
export function* takenOver(random: Random, start: Event, life: Life): Life {
  const verifier = createVerifier();
  verifier.check(start);
  const checked = (event: Event): Event => {
    const wrong = verifier.check(event);
    if (wrong) throw new Error(`the generator broke the grammar: ${wrong}`);
    return event;
  };
  let left = random.below(MAX_EVENTS);
  for (const event of life) {
    yield checked(event);
    if (left-- === 0) break;
  }
  const after = verifier.seq;
  const cut: OpenCall[] = [];
  for (const event of endings(verifier.root, cut)) yield checked(event);
  yield checked({ type: "run-resume", owner: "server-2", reason: random.pick(["expired", "released"]), after });
  for (const call of cut)
    if (call.agent.open && random.chance(0.5)) for (const event of again(random, call)) yield checked(event);
  for (const event of rest(verifier.root)) yield checked(event);
}

const of = ({ id }: OpenAgent) => (id === undefined ? {} : { agent: id });

/** The items that a new owner ends before it continues. `cut` collects the calls that were executing. */
function* endings(agent: OpenAgent, cut: OpenCall[]): Life {
  for (const child of agent.children) yield* endings(child, cut);
  const parts = [...agent.parts, ...[...agent.calls].flatMap((call) => [...call.parts])];
  for (const { id, kind } of parts) yield { type: `${kind}-end`, ...of(agent), part: id, cut: true };
  for (const call of agent.calls) {
    const isExecuting = call.phase === "executing";
    if (!isExecuting && call.step !== agent.step) continue;
    for (const ask of call.asks) yield { type: "ask-end", ...of(agent), ask: ask.id, outcome: "interrupted" };
    if (isExecuting && [...agent.children].some((child) => child.call === call.id)) continue;
    if (isExecuting) cut.push(call);
    yield { type: "tool-end", ...of(agent), call: call.id, outcome: "interrupted" };
  }
  if (agent.step !== undefined) yield { type: "step-end", ...of(agent), step: agent.step, finish: "interrupted" };
}

function* again(random: Random, { id, name, agent }: OpenCall): Life {
  const call = random.id("call");
  yield { type: "tool-start", ...of(agent), call, name, repeats: id };
  yield { type: "tool-input-end", ...of(agent), call, input: { path: random.text() } };
  yield { type: "tool-execute", ...of(agent), call };
  yield { type: "tool-end", ...of(agent), call, outcome: "ok", content: [{ type: "text", text: random.text() }] };
}

/** Ends what stayed open: sub-agents with the calls that wait for them, approvals, and waiting calls. */
function* rest(agent: OpenAgent): Life {
  for (const child of agent.children) {
    yield* rest(child);
    yield { type: "agent-end", agent: child.id!, outcome: "done" };
  }
  for (const ask of agent.asks)
    yield { type: "ask-end", ...of(agent), ask: ask.id, outcome: "answered", answer: { value: 1 } };
  for (const call of agent.calls) {
    for (const ask of call.asks)
      yield { type: "ask-end", ...of(agent), ask: ask.id, outcome: "answered", answer: { allow: true } };
    const isDenied = call.allowed === false;
    if (call.phase !== "executing" && !isDenied) yield { type: "tool-execute", ...of(agent), call: call.id };
    yield { type: "tool-end", ...of(agent), call: call.id, outcome: isDenied ? "denied" : "ok" };
  }
}
