import { amount } from "./amounts.ts";
import { oneLine } from "./text.ts";

/** What the server lists about an agent. */
export interface ListedAgent {
  readonly name: string;
  readonly description?: string | undefined;
  readonly model?: string | undefined;
  readonly models?: readonly string[] | undefined;
  readonly modes?: readonly string[] | undefined;
  readonly suggestions?: readonly string[] | undefined;
  readonly tools?: readonly { readonly name: string; readonly description?: string | undefined }[] | undefined;
}

/** What an agent can do, for the screen before the first message. */
export interface StartFacts {
  readonly name: string;
  readonly description: string;
  /** Its models, tools and modes. What is unknown is omitted. */
  readonly facts: readonly StartFact[];
  /** Messages to try. These are sent as they are, so views must make hidden characters visible. */
  readonly suggestions: readonly string[];
}

export interface StartFact {
  readonly label: string;
  readonly items: readonly StartItem[];
  /** The number of items that are shown while the rest is folded. */
  readonly shown: number;
  /** The button that shows all items with their descriptions. Empty if there is nothing more to show. */
  readonly more: string;
  readonly less: string;
}

export interface StartItem {
  readonly name: string;
  readonly about: string;
}

const SUGGESTIONS = 4;

export const describeStart = (agent: ListedAgent): StartFacts => {
  const { name, description = "", model, models = [], tools = [], modes = [], suggestions = [] } = agent;
  const allModels = [...new Set([...(model === undefined ? [] : [model]), ...models])];
  return {
    name: oneLine(name),
    description: oneLine(description),
    facts: [
      factOf(allModels.length === 1 ? "Model" : "Models", allModels.map(plainItem), 4),
      factOf(
        "Tools",
        tools.map((tool) => ({ name: oneLine(tool.name), about: oneLine(tool.description ?? "") })),
        8,
      ),
      factOf(
        "Modes",
        modes.map((mode) => plainItem(`/${mode}`)),
        4,
      ),
    ].filter(({ items }) => items.length > 0),
    suggestions: suggestions.slice(0, SUGGESTIONS),
  };
};

const plainItem = (name: string): StartItem => ({ name: oneLine(name), about: "" });

const factOf = (label: string, items: readonly StartItem[], most: number): StartFact => {
  // Hiding a single item saves nothing.
  const shown = items.length <= most + 1 ? items.length : most;
  const hidden = items.length - shown;
  const describe = items.length === 1 ? "Show description" : "Show descriptions";
  const more = hidden > 0 ? `and ${amount(hidden)} more` : items.some(({ about }) => about !== "") ? describe : "";
  return { label, items, shown, more, less: "Show less" };
};
