// @vitest-environment happy-dom
import { describe, expect, test } from "vitest";
import { createMarkdownView } from "../src/element/markdown-view.ts";
import { hostileMarkdown } from "./web/hostile-markdown.ts";
import { markdownCorpus } from "./web/markdown-corpus.ts";

/** The element's drawing of a text that arrives in these parts. */
const draw = (...parts: readonly string[]): HTMLElement => {
  const view = createMarkdownView();
  let text = "";
  for (const part of parts) view.show((text += part), false);
  view.show(text, true);
  return view.element;
};

/** As a reader sees it: neighboring texts are one. */
const html = (element: HTMLElement): string => {
  element.normalize();
  return element.innerHTML;
};

const inPieces = (text: string, length: number): string[] => text.match(new RegExp(`[^]{1,${length}}`, "g")) ?? [];

describe("the element's Markdown", () => {
  test.each(markdownCorpus)("is drawn the same however it arrives: %j", (text) => {
    const whole = html(draw(text));
    for (const length of [1, 3, 7]) expect(html(draw(...inPieces(text, length)))).toBe(whole);
  });

  test("has headings, lists, tasks, tables, code and quotes", () => {
    const shown = draw(
      "# One\n\n- [x] done\n- [ ] open\n\n| a | b |\n|--|--:|\n| 1 | 2 |\n\n```js\nlet x;\n```\n\n> said\n",
    );
    expect(shown.querySelector("h1")!.textContent).toBe("One");
    expect([...shown.querySelectorAll("li")].map((item) => item.textContent)).toEqual(["done", "open"]);
    expect([...shown.querySelectorAll("input")].map(({ checked }) => checked)).toEqual([true, false]);
    expect([...shown.querySelectorAll("td")].map((cell) => cell.textContent)).toEqual(["1", "2"]);
    expect(shown.querySelector("td.right")!.textContent).toBe("2");
    expect(shown.querySelector("pre.code")!.textContent).toBe("let x;\n");
    expect(shown.querySelector("blockquote")!.textContent).toBe("said");
  });

  test.each(hostileMarkdown)("links only to web and email addresses, and fetches nothing: $name", ({ text }) => {
    const shown = draw(...inPieces(text, 5));
    for (const link of shown.querySelectorAll("a")) expect(link.href).toMatch(/^(?:https?:\/\/(?![^/]*@)|mailto:)/);
    expect(shown.querySelectorAll("img, iframe, script, style, svg, object, form")).toHaveLength(0);
  });

  test("a link shows its target, and one that hides its host is not linked", () => {
    expect(draw("[the docs](https://docs.example/a)").textContent).toBe("the docs docs.example");
    expect(draw("[docs.example](https://docs.example)").textContent).toBe("docs.example");
    const refused = draw("[bank](https://bank.example@evil.example/)");
    expect(refused.querySelector("a")).toBeNull();
    expect(refused.textContent).toBe("bank (unsafe link removed)");
  });

  test("characters that hide or reorder text are shown by their code points", () => {
    expect(draw("a\u202Eb").textContent).toBe("a⟦U+202E⟧b");
  });

  test("earlier content is never redrawn", () => {
    const view = createMarkdownView();
    let text = "";
    const items: Element[] = [];
    for (let index = 0; index < 500; index++) {
      view.show((text += `- item ${index}\n`), false);
      items.push(view.element.querySelector("ul")!.lastElementChild!);
    }
    expect([...view.element.querySelectorAll("li")]).toEqual(items);
    const [first] = items;
    const words = first!.querySelector("span")!.firstChild;
    view.show((text += "- and more"), false);
    expect(first!.querySelector("span")!.firstChild).toBe(words);
  });

  test("a different text is drawn from scratch, and so is a complete one that continues", () => {
    const view = createMarkdownView();
    view.show("one **two**", true);
    view.show("other", false);
    expect(view.element.textContent).toBe("other");
    view.show("other words", false);
    expect(view.element.textContent).toBe("other words");
  });
});
