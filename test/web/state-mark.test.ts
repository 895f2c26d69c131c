import { readFileSync } from "node:fs";
import { type ComponentType, createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { badgeOf } from "../../src/view/badge.ts";

const web = `${import.meta.dirname}/../../web/src`;
type Icon = ComponentType<object>;
// The compiler of the tests does not support JSX.
const { StateMark } = (await import(`${web}/run/state-mark.tsx`)) as { StateMark: ComponentType<{ badge: object }> };
const icons = (await import(`${web}/kit/icons.tsx`)) as Record<string, Icon>;
const colors = readFileSync(`${web}/tokens.css`, "utf8");

const valueOf = (variable: string): string => {
  const value = new RegExp(`${variable}:\\s*([^;]+);`).exec(colors)![1]!;
  const [, alias] = /^var\((--[\w-]+)\)$/.exec(value) ?? [];
  return alias === undefined ? value : valueOf(alias);
};

const hueOf = (hex: string): number => {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ];
  const most = Math.max(red, green, blue);
  const span = most - Math.min(red, green, blue);
  const sector =
    most === red ? (green - blue) / span : most === green ? 2 + (blue - red) / span : 4 + (red - green) / span;
  return (sector * 60 + 360) % 360;
};

test.each([
  ["pending", "IconClock", [35, 60], false],
  ["executing", "IconSpinner", [250, 290], true],
  ["ok", "IconCheck", [100, 170], false],
  ["error", "IconCross", [0, 10], false],
] as const)("a call that is %s has its icon and its color, in light and dark", (state, icon, [from, to], spins) => {
  const mark = renderToStaticMarkup(createElement(StateMark, { badge: badgeOf(state) }));
  const svg = renderToStaticMarkup(createElement(icons[icon]!));
  expect(mark).toContain(svg);
  expect(/spin/.test(svg)).toBe(spins);
  const [, name] = /text-(\w+)/.exec(mark)!;
  const hues = valueOf(`--color-${name}`)
    .match(/#[\da-f]{6}/gi)!
    .map(hueOf);
  expect(hues).toHaveLength(2);
  for (const hue of hues) {
    expect(hue).toBeGreaterThanOrEqual(from);
    expect(hue).toBeLessThanOrEqual(to);
  }
});
