import { randomFrom } from "../../test/random.ts";

/** The next element of a stream: a token of text, or a card (a completed tool call). */
export type Beat =
  | { readonly kind: "token"; readonly text: string }
  | { readonly kind: "card"; readonly name: string; readonly input: string; readonly output: string };

/** Paragraphs, lists, code, tables, and cards, reproducible by seed: `tokens` tokens in stretches of `stretch`. */
export const mixedStream = (tokens: number, stretch: number, cards: number): Beat[] => {
  const random = randomFrom(20_000);
  const beats: Beat[] = [];
  let emitted = 0;
  while (emitted < tokens) {
    const wanted = Math.min(stretch, tokens - emitted);
    let text = "";
    const parts: string[] = [];
    while (parts.length < wanted) {
      text = block(random);
      parts.push(...tokensOf(text, random));
    }
    for (const part of parts.slice(0, wanted)) beats.push({ kind: "token", text: part });
    emitted += wanted;
    for (let card = 0; card < cards; card++) beats.push(cardOf(random));
  }
  return beats;
};

/** A single list. */
export const listStream = (items: number): Beat[] => {
  const random = randomFrom(4000);
  const beats: Beat[] = [];
  for (let item = 0; item < items; item++)
    for (const text of tokensOf(`- ${sentence(random, 4)}\n`, random)) beats.push({ kind: "token", text });
  return beats;
};

export const cardOf = (random: () => number): Beat => ({
  kind: "card",
  name: pick(random, ["search_notes", "calculate", "read_file", "weather_lookup"]),
  input: JSON.stringify({ query: sentence(random, 4), limit: Math.floor(random() * 50) }),
  output: `${sentence(random, 12)}\n${sentence(random, 12)}`,
});

/** A random block, with kinds distributed as in a typical answer. */
export const block = (random: () => number): string => {
  const kind = random();
  if (kind < 0.35) return `${Array.from({ length: 3 }, () => sentence(random, 14)).join(" ")}\n\n`;
  if (kind < 0.45) return `## ${sentence(random, 4)}\n\n`;
  if (kind < 0.65) {
    const items = Array.from({ length: 8 }, (_, index) => `${index % 3 === 2 ? "  " : ""}- ${sentence(random, 8)}`);
    return `${items.join("\n")}\n\n`;
  }
  if (kind < 0.85) {
    const lines = Array.from({ length: 14 }, (_, index) =>
      index % 5 === 4
        ? `  // ${words(random, 5)}`
        : `  const ${word(random)}${index} = ${word(random)}("${words(random, 2)}", ${index});`,
    );
    return `\`\`\`ts\nfunction ${word(random)}() {\n${lines.join("\n")}\n}\n\`\`\`\n\n`;
  }
  const rows = Array.from(
    { length: 8 },
    () => `| ${words(random, 2)} | ${Math.floor(random() * 1000)} | ${words(random, 3)} |`,
  );
  return `| name | count | note |\n| --- | ---: | --- |\n${rows.join("\n")}\n\n`;
};

const sentence = (random: () => number, length: number): string => {
  const parts = Array.from({ length }, () => {
    const chance = random();
    const text = word(random);
    if (chance < 0.06) return `**${text}**`;
    if (chance < 0.09) return `\`${text}\``;
    return chance < 0.11 ? `[${text}](https://example.com/${text})` : text;
  });
  return `${parts.join(" ")}.`;
};

const words = (random: () => number, length: number): string => Array.from({ length }, () => word(random)).join(" ");

const WORDS =
  "agent answer batch branch cache change claim cursor delta detail draft early event field final frame graph happen index input judge known later letter limit measure moment never number order parse part place plain quiet reader record result review second signal simple single sound source state steady store stream table thread token tool trace under update value version watch window words write";
const ALL = WORDS.split(" ");
const word = (random: () => number): string => pick(random, ALL);
const pick = <Item>(random: () => number, items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;

/** Pieces of about four characters, as models send them. */
const tokensOf = (text: string, random: () => number): string[] => {
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    const length = 2 + Math.floor(random() * 5);
    parts.push(text.slice(from, from + length));
    from += length;
  }
  return parts;
};
