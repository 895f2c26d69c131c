import type { Mutant } from "./broken-promises.ts";

const tests = ["test/flat.test.ts"];
const onPage = ["test/web/flat-page.test.ts"];

/** Work per token that grows with the tokens or the calls before it. */
export const flat: readonly Mutant[] = [
  {
    breaks: "flat: the state goes through the whole text for each token",
    file: "src/state/apply.ts",
    edits: [
      [
        "  part.text += event.delta;\n",
        "  part.text += event.delta;\n  for (const letter of part.text) void letter;\n",
      ],
    ],
    tests,
    named: "when a run is folded",
  },
  {
    breaks: "flat: a dialect goes through all earlier tokens for each token",
    file: "src/dialects/ag-ui-protocol/text-messages.ts",
    edits: [
      [
        "    const opening = openings.get(part);\n",
        "    const opening = openings.get(part);\n    metas.set(`${metas.size}`, text);\n    for (const meta of metas) void meta;\n",
      ],
    ],
    tests,
    named: "when a run is encoded as ag-ui",
  },
  {
    breaks: "flat: the page parses the whole paragraph for each token",
    file: "src/markdown/prose.ts",
    edits: [["const SOFT = 768;", "const SOFT = Infinity;"]],
    tests,
    named: "when the page parses Markdown",
  },
  {
    breaks: "flat: a change notifies the readers of all nodes",
    file: "src/state/change.ts",
    edits: [
      [
        "  const listeners = state.listeners.get(node.id);\n  if (listeners) for (const listener of listeners) listener();",
        "  for (const listeners of state.listeners.values()) for (const listener of listeners) listener();",
      ],
    ],
    tests: onPage,
    named: "with 5 cards and with 300",
  },
  {
    breaks: "flat: the page parses the whole text for each new paragraph",
    file: "web/src/markdown/markdown.tsx",
    edits: [
      [
        "if (!reader.current?.continues(text, done)) reader.current = createReader();",
        "reader.current = createReader();",
      ],
    ],
    tests: onPage,
    named: "early and late in a text: .A line",
  },
  {
    breaks: "flat: a dialect looks at all earlier calls for each token",
    file: "src/dialects/ai-sdk/encode.ts",
    edits: [
      ['      case "tool-start":\n', '      case "tool-start":\n        asides.add(event.call);\n'],
      [
        "    if (asides.has(event.part)) {\n",
        "    for (const aside of asides) void aside;\n    if (asides.has(event.part)) {\n",
      ],
    ],
    tests,
    named: "when a run is encoded as ai-sdk",
  },
];
