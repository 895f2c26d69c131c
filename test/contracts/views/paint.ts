/** The name of a style sheet color by its hue, because a terminal has only four. */
export const paintOf = (sheet: string, variable: string): string => {
  const value = new RegExp(`${variable}:\\s*([^;]+);`).exec(sheet)?.[1];
  if (value === undefined) throw new Error(`the style sheet has no ${variable}`);
  const alias = /^var\((--[\w-]+)\)$/.exec(value)?.[1];
  if (alias !== undefined) return paintOf(sheet, alias);
  const names = new Set(value.match(/#[\da-f]{6}/gi)?.map(nameOf));
  // Light and dark mode use the same hue.
  if (names.size !== 1) throw new Error(`${variable} is no single color: ${value}`);
  return [...names][0]!;
};

const nameOf = (hex: string): string => {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ];
  const most = Math.max(red, green, blue);
  const span = most - Math.min(red, green, blue);
  const sector =
    most === red ? (green - blue) / span : most === green ? 2 + (blue - red) / span : 4 + (red - green) / span;
  const hue = (sector * 60 + 360) % 360;
  return hue < 20 || hue >= 340 ? "red" : hue < 70 ? "yellow" : hue < 170 ? "green" : "cyan";
};
