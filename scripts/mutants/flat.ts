import type { Mutant } from "./broken-promises.ts";

const tests = ["test/flat.test.ts"];

/** Work per token that grows with the tokens before it. */
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
  },
  {
    breaks: "flat: a dialect goes through all earlier tokens for each token",
    file: "src/dialects/ag-ui-protocol/words.ts",
    edits: [
      [
        "    const opening = openings.get(part);\n",
        "    const opening = openings.get(part);\n    metas.set(`${metas.size}`, text);\n    for (const meta of metas) void meta;\n",
      ],
    ],
    tests,
  },
  {
    breaks: "flat: the page parses the whole paragraph for each token",
    file: "src/markdown/prose.ts",
    edits: [["const SOFT = 768;", "const SOFT = Infinity;"]],
    tests,
  },
];
