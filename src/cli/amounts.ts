import type { Usage } from "../events.ts";

/** Milliseconds as people say them: `80 ms`, `1.2 s`, `3 min 5 s`. */
export const duration = (ms: number): string => {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return `${whole} ms`;
  if (whole < 59_950) return `${(whole / 1000).toFixed(1)} s`;
  const seconds = Math.round(whole / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** `1,204 tokens in, 332 out`; empty if nothing is known. */
export const usageText = ({ input, output, reasoning, cached }: Usage): string => {
  const said: string[] = [];
  if (input !== undefined) said.push(`${number(input)} tokens in${cached ? ` (${number(cached)} cached)` : ""}`);
  if (output !== undefined) said.push(`${number(output)} out${reasoning ? ` (${number(reasoning)} thinking)` : ""}`);
  return said.join(", ");
};

/** `1 call`, `2 calls`. */
export const counted = (count: number, noun: string): string =>
  `${number(count)} ${count === 1 ? noun : noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;

const number = (value: number): string => value.toLocaleString("en-US");
