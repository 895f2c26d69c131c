import type { Usage } from "./events.ts";
import { MAX_COST } from "./protocol.ts";

/** What the tokens of a model cost, in US dollars per million. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** For input that the provider had cached. Default: `input`. */
  readonly cachedInput?: number | undefined;
}

/** By model: `<provider>/<model>`, or the name that its runs report. */
export type Prices = Readonly<Record<string, Price>>;

/** The usage with its cost, if one of the model's names has a price. A cost that was reported is kept. */
export const priced = (usage: Usage, prices: Prices = {}, ...names: readonly (string | undefined)[]): Usage => {
  const { input, output = 0, cached = 0, cost } = usage;
  if (cost !== undefined || (input === undefined && usage.output === undefined)) return usage;
  const name = names.find((known) => known !== undefined && Object.hasOwn(prices, known));
  const price = name === undefined ? undefined : prices[name];
  if (!price) return usage;
  const reused = Math.min(cached, input ?? 0);
  const fresh = (input ?? 0) - reused;
  const micros = fresh * price.input + reused * (price.cachedInput ?? price.input) + output * price.output;
  return { ...usage, cost: Math.min(MAX_COST, Number((micros / 1e6).toFixed(9))) };
};
