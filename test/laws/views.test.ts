import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseAst } from "vitest/node";
import { describe, expect, test } from "vitest";

const root = path.join(import.meta.dirname, "../..");

/** Whoever draws a run. What the page keeps of conversations is no view, and Markdown knows of no run. */
const files = ["src/element.ts", "src/element", "src/cli", "web/src"]
  .flatMap((place) =>
    place.endsWith(".ts")
      ? [place]
      : readdirSync(path.join(root, place), { recursive: true, encoding: "utf8" }).map((file) =>
          path.join(place, file),
        ),
  )
  .filter((file) => /\.tsx?$/.test(file) && !/^web\/src\/(?:conversations|markdown)\//.test(file));

/** Fields of a state from which one could tell how something stands, how it ended or how long it took. */
const FIELDS = new Set([
  "outcome",
  "finish",
  "startedAt",
  "endedAt",
  "executedAt",
  "ms",
  "cut",
  "redacted",
  "replaces",
  "replacedBy",
  "edited",
  "inputDone",
]);

/** What a call, an agent, an ask, a step or a run may be in. */
const STATES = new Set([
  "pending", "executing", "ok", "error", "denied", "cancelled", "timeout", "interrupted", "deferred", "done", "answered", "expired",
  "stop", "tools", "length", "filter",
]); // prettier-ignore

/** What is read or compared, but of something else than how a run is shown. */
const OTHER: Readonly<Record<string, readonly string[]>> = {
  // Passed on to the page that holds the element.
  "src/element.ts": ["state.outcome"],
  // Of a task in a list of Markdown.
  "src/element/markdown-view.ts": ['task === "done"'],
  // Kept with a message of a conversation, for when its run is not loaded.
  "web/src/app/use-chat.ts": ["live?.message.outcome"],
  // Of a server of tools that was tried out.
  "web/src/app/server-settings.tsx": ['check?.status === "ok"'],
  // Of a request to cancel.
  "web/src/run/stop-button.tsx": ['status === "cancelled"'],
};

/** Parts of the view that make text of amounts: facts hold it already. */
const AMOUNTS = new Set(["duration", "elapsed", "usageText"]);

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Every reading of such a field, comparison with such a state and making of such a text, as the source has it. */
const decisionsIn = (source: string, lang: "ts" | "tsx" = "tsx"): string[] => {
  const found: string[] = [];
  const textOf = ({ start, end }: Node): string => source.slice(start as number, end as number).replace(/\s+/g, " ");
  const nameOf = (node: unknown): string => ((node as Node).name ?? (node as Node).value ?? "") as string;
  const isState = (node: unknown): boolean =>
    (node as Node | null)?.type === "Literal" && STATES.has((node as Node).value as string);
  const look = (node: Node): void => {
    if (node.type === "MemberExpression" && FIELDS.has(nameOf(node.property))) found.push(textOf(node));
    if (node.type === "ObjectPattern")
      for (const property of node.properties as Node[])
        if (property.type === "Property" && FIELDS.has(nameOf(property.key))) found.push(textOf(property));
    if (node.type === "BinaryExpression" && /^[!=]==?$/.test(node.operator as string))
      if (isState(node.left) || isState(node.right)) found.push(textOf(node));
    if (node.type === "SwitchCase" && isState(node.test)) found.push(`case ${textOf(node.test as Node)}`);
    if (node.type === "ImportDeclaration" && /(?:^|\/)view(?:\.ts)?$/.test(nameOf(node.source)))
      for (const specifier of node.specifiers as Node[])
        if (AMOUNTS.has(nameOf(specifier.imported ?? specifier.local))) found.push(`import ${textOf(specifier)}`);
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
    ['node.state === "interrupted"', 'node.state === "interrupted"'],
    ['if ("denied" !== state) draw();', '"denied" !== state'],
    ['switch (state) { case "timeout": break; }', 'case "timeout"'],
    ["const mark = <b>{run.outcome}</b>;", "run.outcome"],
    ['import { duration as text } from "runcast/view";', "import duration as text"],
  ])("notices %s", (source, finding) => {
    expect(decisionsIn(source)).toContain(finding);
  });

  test.each(files)("%s only draws", (file) => {
    const found = decisionsIn(readFileSync(path.join(root, file), "utf8"), file.endsWith("x") ? "tsx" : "ts");
    expect(found).toEqual(OTHER[file] ?? []);
  });
});
