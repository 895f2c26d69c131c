import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const root = path.join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
const files = readdirSync(path.join(root, "web/src"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.(?:css|tsx?)$/.test(file))
  .map((file) => `web/src/${file}`);
const tokens = read("web/src/tokens.css");

const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\//g, "");
const named = (kind: string): Set<string> =>
  new Set([...tokens.matchAll(new RegExp(`--${kind}-([a-z0-9]+(?:-[a-z0-9]+)*):`, "g"))].map(([, name]) => name!));
const long = (hex: string): string => (hex.length === 4 ? hex.replaceAll(/[^#]/g, "$&$&") : hex).toLowerCase();
const colorsIn = (text: string): string[] =>
  [...text.matchAll(/#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b/gi)].map(([hex]) => long(hex));

const COLORS = named("color");
const SPACES = new Set(/Distances are ([^*]*) of it/.exec(tokens)![1]!.match(/[\d.]+/g));

/** Words after a prefix that are not tokens: sides, widths, styles and alignments. */
const OTHER: Readonly<Record<string, RegExp>> = {
  text: /^(?:left|right|center|start|end|balance|wrap|nowrap|ellipsis|pretty)$/,
  bg: /^$/,
  border: /^(?:[trblxyse]|[trblxyse]-\d|\d|collapse|dashed|solid|none)$/,
  outline: /^(?:none|dashed|hidden|\d|offset-\d)$/,
  accent: /^$/,
  fill: /^none$/,
  stroke: /^\d$/,
  font: /^(?:mono|sans)$/,
  rounded: /^(?:full|none)$/,
  shadow: /^(?:none|\[inset_0_0_0_1px_var\(--\w+\)\])$/,
};
const TOKENS: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set([...COLORS, ...named("text")]),
  bg: COLORS,
  border: COLORS,
  outline: COLORS,
  accent: COLORS,
  fill: COLORS,
  stroke: COLORS,
  font: named("font-weight"),
  rounded: named("radius"),
  shadow: named("shadow"),
};

/** The texts that can be lists of classes: string literals and templates. */
const classesIn = (text: string): string[] =>
  [...text.matchAll(/"[^"\n]*"|`[^`]*`/g)].flatMap(([literal]) => literal.slice(1, -1).split(/[\s"'`]+/));

/** The part of a class after its variants: `md:hover:bg-card` is `bg-card`. */
const utilityOf = (name: string): string => name.replace(/^(?:[\w@[\]=/.&>-]+:)+/, "").replace(/!$/, "");

const strayIn = (name: string): boolean => {
  const utility = utilityOf(name);
  const space = /^-?(?:[pm][xytblrse]?|gap(?:-[xy])?|space-[xy])-(\S+)$/.exec(utility)?.[1];
  if (space !== undefined) return !SPACES.has(space) && space !== "auto";
  const [, prefix = "", rest = ""] =
    /^(text|bg|border|outline|accent|fill|stroke|font|rounded|shadow)-(\S+)$/.exec(utility) ?? [];
  const known = TOKENS[prefix];
  if (!known) return false;
  // `rounded-t-lg` and `border-l-accent` name a side first, and `bg-card/60` ends with an opacity.
  const token = rest.replace(/\/\d+$/, "").replace(/^(?:[trblxyse]{1,2})-(?=[a-z0-9])/, "");
  return !known.has(token) && !OTHER[prefix]!.test(rest);
};

/** File names and ids look like classes. */
const isClass = (name: string): boolean =>
  /^[\w@[\]=/.&>:()!,-]+$/.test(name) && !/\.(?:tsx?|css)$|^\.{0,2}\//.test(name);

describe("the design comes from one set of tokens", () => {
  test("the check recognizes what it must reject", () => {
    const wrong = ["bg-white", "md:hover:text-red-500", "text-[0.95rem]", "p-5", "-mt-7", "gap-x-3.5", "rounded-3xl"];
    expect(wrong.filter((name) => !strayIn(name))).toEqual([]);
    const right = ["bg-card/60", "rounded-t-2xl", "border-l-accent", "hover:text-ink", "-my-1", "mx-auto", "border-t"];
    expect(right.filter(strayIn)).toEqual([]);
    expect([COLORS.size, SPACES.size]).toEqual([20, 10]);
  });

  test.each(files.filter((file) => file.endsWith(".tsx")))("%s uses only classes of the tokens", (file) => {
    expect(classesIn(read(file)).filter((name) => isClass(name) && strayIn(name))).toEqual([]);
  });

  test.each(files.filter((file) => file !== "web/src/tokens.css"))("%s contains no color of its own", (file) => {
    const text = withoutComments(read(file));
    if (file.endsWith(".css")) expect(colorsIn(text)).toEqual([]);
    expect(text.match(/\b(?:rgba?|hsla?|oklch|oklab|lab|lch)\(/g) ?? []).toEqual([]);
    if (!file.endsWith(".css")) return;
    const sizes = [...text.matchAll(/(?:border-radius|font-weight|font-size|box-shadow):\s*([^;]+);/g)];
    // Sizes in Markdown are relative to the text around it.
    expect(sizes.map(([, value]) => value!).filter((value) => !/^(?:var\(--|[\d.]+em$|inherit$)/.test(value))).toEqual(
      [],
    );
  });

  test.each(["src/element/sheet.ts", "src/html-export/document.ts", "web/src/icon.svg"])(
    "%s, which the page's styles do not reach, has the same colors",
    (file) => {
      const known = new Set(colorsIn(tokens));
      expect(colorsIn(read(file)).filter((color) => !known.has(color))).toEqual([]);
    },
  );

  test("everything that moves stops for people who prefer less motion", () => {
    const moving = files.flatMap((file) =>
      [...read(file).matchAll(/"[^"\n]*"|`[^`]*`/g)]
        .map(([literal]) => literal)
        .filter((text) => /\banimate-(?!none)|\btransition(?!-none)\b/.test(text) && !/motion-reduce:/.test(text))
        .map((text) => `${file}: ${text}`),
    );
    expect(moving).toEqual([]);
  });

  test("in style sheets, everything that moves stops for them, too", () => {
    const sheets = [
      ...files.filter((file) => file.endsWith(".css")),
      "src/element/sheet.ts",
      "src/html-export/document.ts",
    ];
    const moving = sheets.flatMap((file) => {
      const text = withoutComments(read(file));
      const rules = text.matchAll(/^([^{}@\n]+) \{[^{}]*(?<![\w-])(animation|transition): (?!none)/gm);
      return [...rules].flatMap(([, selector, property]) =>
        text.includes(`@media (prefers-reduced-motion: reduce) { ${selector} { ${property}: none; } }`)
          ? []
          : [`${file}: ${selector}`],
      );
    });
    expect(moving).toEqual([]);
    expect(read("src/element/sheet.ts")).toMatch(/^\.icon-executing \{ animation: turn/m);
  });
});
