import { describe, expect, test } from "vitest";
import { hideSecrets } from "../../src/tools/shell/hide-secrets.ts";

const shown = (secrets: readonly string[], chunks: readonly string[]): string => {
  const hider = hideSecrets(secrets);
  return chunks.map((chunk) => hider.push(chunk)).join("") + hider.end();
};

/** The text in one chunk, in two chunks for every position of the cut, and one character at a time. */
const waysToSplit = (text: string): readonly (readonly string[])[] => [
  ...Array.from(text, (_, index) => [text.slice(0, index), text.slice(index)]),
  [...text],
];

describe("secrets are hidden however the output is split, if", () => {
  test.each([
    ["one begins with another", ["abcdefgh", "abcdefghSECRETTAIL"], "<abcdefghSECRETTAIL>", "<[redacted]>"],
    ["one contains another", ["SECRETTAIL", "abcdefghSECRETTAILxyz"], "<abcdefghSECRETTAILxyz>", "<[redacted]>"],
    ["they overlap", ["abcdefgh", "efghijkl"], "<abcdefghijkl>", "<[redacted]>"],
    ["one repeats itself", ["aaaaaaaa"], `<${"a".repeat(20)}>`, "<[redacted]>"],
    ["they follow each other", ["abcdefgh", "ijklmnop"], "<abcdefghijklmnop>", "<[redacted][redacted]>"],
    ["the longer one is incomplete", ["abcdefgh", "abcdefghSECRETTAIL"], "<abcdefghSECRET", "<[redacted]SECRET"],
    ["the replacement contains one", ["redacted", "abcdefgh"], "<abcdefgh redacted>", "<[redacted] [redacted]>"],
    ["the output only begins like one", ["abcdefgh"], "<abcdefg", "<abcdefg"],
  ])("%s", (_, secrets, text, expected) => {
    for (const chunks of waysToSplit(text)) expect(shown(secrets, chunks), JSON.stringify(chunks)).toBe(expected);
  });
});
