import { describe, expect, test } from "vitest";
import { decodeEntities, markdownBlocks, outsideCode } from "./markdown-blocks.ts";

const block = '<details type="tool_calls" done="true" name="ls">\n<summary>Tool Executed</summary>\na.txt\n</details>';
const found = (markdown: string) => markdownBlocks(markdown).filter(({ kind }) => kind === "details");
const ls = {
  kind: "details",
  attributes: { type: "tool_calls", done: "true", name: "ls" },
  summary: "Tool Executed",
  body: "a.txt",
};

describe("a details block", () => {
  test.each([
    ["alone", block],
    ["after a line", `words\n${block}`],
    ["after a blank line", `words\n\n${block}`],
    ["after a closed fence", `\`\`\`\ncode\n\`\`\`\n${block}`],
    ["after a list and a blank line", `- item\n\n${block}`],
    ["before text", `${block}\nwords`],
  ])("is found %s", (_, markdown) => expect(found(markdown)).toEqual([ls]));

  test.each([
    ["within a line", `words ${block}`],
    ["within an open fence", `\`\`\`\n${block}`],
    ["within an item of a list", `- item\n  ${block}`],
    ["within other HTML", `<div>\n${block}`],
    ["with nothing after its tag", block.replace(">\n", ">")],
    ["with > in an attribute", block.replace('name="ls"', 'name="l>s"')],
    ["that is not closed yet", block.replace("</details>", "")],
    ["with another open one inside", block.replace("a.txt", "<details")],
  ])("is not found %s", (_, markdown) => expect(found(markdown)).toEqual([]));

  test("appears twice if it is sent twice, regardless of its id", () =>
    expect(found(`${block}\n${block}`)).toEqual([ls, ls]));

  test("loses attributes that contain a line break or a quotation mark", () => {
    const [read] = found(block.replace('name="ls"', 'name="ls" arguments="{\n}" data-x="1"'));
    expect(read).toMatchObject({ attributes: { type: "tool_calls", done: "true", name: "ls", x: "1" } });
    expect(found(block.replace('"ls"', '"l"s"'))).toMatchObject([{ attributes: { name: "l" } }]);
  });

  test("ends at the first unescaped closing tag", () => {
    expect(found(block.replace("a.txt", "a</details>b"))).toMatchObject([{ body: "a" }]);
    expect(found(block.replace("a.txt", "a&lt;/details&gt;b"))).toMatchObject([{ body: "a&lt;/details&gt;b" }]);
  });
});

test("entities are decoded, and an accidental one is an error", () => {
  expect(decodeEntities("&lt;&amp;lt;&#39;&quot;&gt;")).toBe("<&lt;'\">");
  expect(() => decodeEntities("a &copy b")).toThrow("&copy");
});

test("code spans have more backticks than their content", () => {
  expect(outsideCode("**a:** `<b>` and ``` `` <i> ``` end")).toBe("**a:**  and  end");
  expect(outsideCode("open ` <b>")).toBe("open ` <b>");
  expect(outsideCode(String.raw`\<b\>`)).toBe("b");
});
