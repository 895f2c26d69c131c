import type { Usage } from "../events.ts";
import { addUsage } from "../state.ts";

/** Formats milliseconds for display: `80 ms`, `1.2 s`, `3 min 5 s`. */
export const duration = (ms: number): string => {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return `${whole} ms`;
  if (whole < 59_950) return `${(whole / 1000).toFixed(1)} s`;
  const seconds = Math.round(whole / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** Formats a duration that is still growing, in whole seconds: `0 s`, `12 s`, `1 min 5 s`. */
export const elapsed = (ms: number): string => {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1000);
};

/** `1,204 tokens in, 332 out, $0.0042`. Empty if no usage is known. */
export const usageText = ({ input, output, reasoning, cached, cost }: Usage): string => {
  const parts: string[] = [];
  if (input !== undefined) parts.push(`${amount(input)} tokens in${cached ? ` (${amount(cached)} cached)` : ""}`);
  if (output !== undefined) parts.push(`${amount(output)} out${reasoning ? ` (${amount(reasoning)} thinking)` : ""}`);
  if (cost !== undefined) parts.push(costText(cost));
  return parts.join(", ");
};

/** The usage of several runs together. Empty if fewer than two report it. */
export const totalUsage = (used: readonly Usage[]): string => {
  const known = used.filter((usage) => Object.keys(usage).length > 0);
  return known.length < 2 ? "" : usageText(known.reduce<Usage>(addUsage, {}));
};

/** `$1,204.50`, `$0.12`. An amount below a dollar has two significant digits: `$0.0004`. */
export const costText = (dollars: number): string => {
  const digits = dollars > 0 && dollars < 1 ? 1 - Math.floor(Math.log10(dollars)) : 2;
  const [least, most] = [2, Math.min(20, Math.max(2, digits))];
  return `$${dollars.toLocaleString("en-US", { minimumFractionDigits: least, maximumFractionDigits: most })}`;
};

/** `1 call`, `2 calls`, `3 entries`. */
export const counted = (count: number, noun: string): string =>
  `${amount(count)} ${count === 1 ? noun : /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;

/** `812 bytes`, `64 KB`, `10.2 MB`. */
export const byteText = (bytes: number): string => {
  if (bytes < 1024) return counted(bytes, "byte");
  const kilobytes = bytes / 1024;
  if (kilobytes < 1000) return `${kilobytes < 10 ? kilobytes.toFixed(1) : Math.round(kilobytes)} KB`;
  return `${(kilobytes / 1024).toFixed(1)} MB`;
};

const NUMBERS = new Intl.NumberFormat("en-US");
export const amount = (value: number): string => NUMBERS.format(value);
