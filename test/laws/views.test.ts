import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseAst } from "vitest/node";
import { describe, expect, test } from "vitest";
import { SHOWN_STATES } from "../../src/view/badge.ts";

const root = path.join(import.meta.dirname, "../..");

/** All code that renders a run. */
const files = [
  "src/element.ts",
  "src/element",
  "src/react",
  "src/cli",
  "src/html-export.ts",
  "src/html-export",
  "web/src",
]
  .flatMap((place) =>
    place.endsWith(".ts")
      ? [place]
      : readdirSync(path.join(root, place), { recursive: true, encoding: "utf8" }).map((file) =>
          path.join(place, file),
        ),
  )
  .filter((file) => /\.tsx?$/.test(file));

/** Fields that reveal a state, an outcome or a duration, regardless of the object they are read from. */
const FIELDS = new Set([
  "outcome", "finish", "startedAt", "endedAt", "executedAt", "ms", "since", "cut", "redacted", "replaces", "replacedBy",
  "repeats", "repeatedBy", "edited", "inputDone",
]); // prettier-ignore

/** Fields that other objects have too. They count only if the object's name or type is a part of a run. */
const SHARED_FIELDS = new Set([
  "state", "error", "title", "status", "task", "usage", "by", "awaiting", "retries", "progress",
]); // prettier-ignore
const PARTS = new Set(["call", "node", "agent", "ask", "step", "part", "run", "root", "state", "event"]);

/** States of calls, agents, asks, steps and runs. */
const STATES = new Set<unknown>([...SHOWN_STATES, "stop", "tools", "length", "filter"]);

/** Exceptions: reads and comparisons that do not concern how a run is shown. */
const OTHER: Readonly<Record<string, readonly string[]>> = {
  // Passed on to the page that contains the element.
  "src/element.ts": ["state.outcome"],
  // Whether a time still counts up.
  "src/element/clock.ts": ['"since" in time'],
  "web/src/run/time-view.tsx": ['"since" in time'],
  // A task in a Markdown list.
  "src/element/markdown-view.ts": ['task === "done"'],
  "web/src/markdown/view/block-view.tsx": ['task === "done"'],
  // Stored with a message of a conversation, for when its run is not loaded.
  "web/src/app/use-chat.ts": ["live?.message.outcome"],
  "web/src/conversations/conversation.ts": ["end.outcome"],
  "web/src/conversations/exchange.ts": ['message["outcome"]', 'message["outcome"]'],
  "web/src/conversations/use-conversations.tsx": ["message.outcome"],
  // The order of the server's runs in a conversation.
  "web/src/conversations/merge-thread.ts": ["runs[0]?.startedAt", "startedAt", "endedAt = startedAt"],
  "web/src/conversations/server-threads.ts": ["one.startedAt", "other.startedAt"],
  // Whether there is anything left to follow, and what is stored of it.
  "web/src/conversations/runs.ts": ["state.outcome", "state.outcome", "state.endedAt", "state.usage", "state.outcome"],
  // An MCP server that was validated.
  "web/src/app/server-settings.tsx": ['check?.status === "ok"'],
  // Passed on to a tool's own document.
  "web/src/embeds/app-host.ts": ["call.error"],
  // The calls left to this browser.
  "web/src/embeds/browser-calls.tsx": ["state.awaiting"],
  // A result in a message.
  "web/src/embeds/browser-results.tsx": ["part.error", "part.error"],
  // A request to cancel.
  "web/src/run/stop-button.tsx": ['status === "cancelled"'],
};

/** View functions that format amounts. Facts already contain the result. */
const AMOUNTS = new Set(["duration", "elapsed", "usageText"]);

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Every read of such a field, comparison with such a state and formatting of such an amount, as source text. */
const decisionsIn = (source: string, lang: "ts" | "tsx" = "tsx"): string[] => {
  const found: string[] = [];
  const textOf = ({ start, end }: Node): string => source.slice(start as number, end as number).replace(/\s+/g, " ");
  const nameOf = (value: unknown): string => {
    const node = value as Node | null | undefined;
    if (node?.type === "MemberExpression") return nameOf(node.property);
    if (node?.type === "ChainExpression" || node?.type === "TSNonNullExpression") return nameOf(node.expression);
    return ((node?.name ?? node?.value ?? "") as string) || "";
  };
  /** Whether its name or type is a part of a run. */
  const isPart = (value: unknown): boolean => PARTS.has(nameOf(value)) || /Node$|^RunState$/.test(typeOf(value));
  const typeOf = (value: unknown): string => {
    const type = ((value as Node | null)?.typeAnnotation as Node | undefined)?.typeAnnotation as Node | undefined;
    return type?.type === "TSTypeReference" ? nameOf(type.typeName) : "";
  };
  // `run.state` is the whole state of a run, not a part's state.
  const isRead = (field: string, of: unknown): boolean =>
    FIELDS.has(field) || (SHARED_FIELDS.has(field) && isPart(of) && !(field === "state" && nameOf(of) === "run"));
  const isState = (value: unknown): boolean => {
    const node = value as Node | null;
    if (node?.type === "Literal") return STATES.has(node.value);
    const [only, ...more] = node?.type === "TemplateLiteral" ? (node.quasis as Node[]) : [];
    return only !== undefined && more.length === 0 && STATES.has((only.value as { cooked: string }).cooked);
  };
  const readPattern = (pattern: Node, isFound: (field: string) => boolean): void => {
    for (const property of pattern.properties as Node[])
      if (property.type === "Property" && isFound(nameOf(property.key))) found.push(textOf(property));
  };
  /** Only patterns that name what they read from can be a part of a run. */
  const readShared = (pattern: Node, of: unknown): void =>
    readPattern(pattern, (field) => !FIELDS.has(field) && isRead(field, of));
  const look = (node: Node): void => {
    if (node.type === "MemberExpression" && isRead(nameOf(node.property), node.object)) found.push(textOf(node));
    if (node.type === "ObjectPattern") readPattern(node, (field) => FIELDS.has(field));
    if (node.type === "VariableDeclarator" && (node.id as Node).type === "ObjectPattern")
      readShared(node.id as Node, isPart(node.id) ? node.id : node.init);
    for (const parameter of (node.params ?? []) as readonly Node[])
      if (parameter.type === "ObjectPattern") readShared(parameter, parameter);
    if (node.type === "BinaryExpression" && node.operator === "in" && FIELDS.has(nameOf(node.left)))
      found.push(textOf(node));
    if (node.type === "BinaryExpression" && /^[!=]==?$/.test(node.operator as string))
      if (isState(node.left) || isState(node.right)) found.push(textOf(node));
    if (node.type === "SwitchCase" && isState(node.test)) found.push(`case ${textOf(node.test as Node)}`);
    if (node.type === "ArrayExpression" && (node.elements as unknown[]).some(isState)) found.push(textOf(node));
    if (node.type === "ImportDeclaration" && /(?:^|\/)view(?:\.ts)?$/.test(nameOf(node.source)))
      for (const specifier of node.specifiers as Node[])
        if (specifier.type === "ImportNamespaceSpecifier" || AMOUNTS.has(nameOf(specifier.imported)))
          found.push(`import ${textOf(specifier)}`);
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    else if (typeof value === "object" && value !== null) {
      if ("type" in value) look(value as Node);
      for (const child of Object.values(value)) visit(child);
    }
  };
  visit(parseAst(source, { lang }));
  return found;
};

describe("the law of views", () => {
  test.each([
    ["call.endedAt !== undefined", "call.endedAt"],
    ["const took = (call: Call) => call.endedAt! - call.executedAt!;", "call.endedAt"],
    ["const { endedAt: end } = node;", "endedAt: end"],
    ["const show = ({ outcome }: Node) => outcome;", "outcome"],
    ["const { call: { endedAt } } = row;", "endedAt"],
    ["const show = ([{ outcome }]: readonly Node[]) => outcome;", "outcome"],
    ["const show = ({ finish }: Step = none) => finish;", "finish"],
    ['"endedAt" in call', '"endedAt" in call'],
    ['node.state === "interrupted"', 'node.state === "interrupted"'],
    ['if ("denied" !== state) draw();', '"denied" !== state'],
    ['switch (state) { case "timeout": break; }', 'case "timeout"'],
    ["const mark = <b>{run.outcome}</b>;", "run.outcome"],
    ['import { duration as text } from "runcast/view";', "import duration as text"],
    ["WORDS[call.state]", "call.state"],
    ['["error"].includes(call.state)', '["error"]'],
    ['new Set(["denied", "ok"]).has(word)', '["denied", "ok"]'],
    ['run.error ? "Failed" : "Finished"', "run.error"],
    ['shown.run?.error ? "Failed" : "Finished"', "shown.run?.error"],
    ['badge.state === "cut"', 'badge.state === "cut"'],
    ['badge.state === "filtered"', 'badge.state === "filtered"'],
    ['state !== "waiting"', 'state !== "waiting"'],
    ["state === `error`", "state === `error`"],
    ["Date.now() - time.since", "time.since"],
    ['ask.title ?? "Allow?"', "ask.title"],
    ["const { title } = node.ask;", "title"],
    ["const name = ({ title }: CallNode) => title;", "title"],
    ["const { error }: RunState = shown;", "error"],
    ['import * as view from "runcast/view";', "import * as view"],
  ])("reports %s", (source, finding) => {
    expect(decisionsIn(source)).toContain(finding);
  });

  test.each(files)("%s only draws", (file) => {
    const found = decisionsIn(readFileSync(path.join(root, file), "utf8"), file.endsWith("x") ? "tsx" : "ts");
    expect(found).toEqual(OTHER[file] ?? []);
  });
});
