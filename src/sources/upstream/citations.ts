import type { Event } from "../../events.ts";
import type { AgentWriter } from "./agent-writer.ts";
import { lineOf, textOf } from "./reading.ts";

/** A source that an answer names. */
export interface Cited {
  readonly url?: unknown;
  readonly title?: unknown;
  readonly text?: unknown;
}

const MOST = 500;
const LONGEST_ID = 250;

/** The sources that the answers of a run name. Servers repeat them, so each one is shown once. */
export class Citations {
  readonly #known = new Set<string>();

  /** Adds those that another process already wrote to the log. */
  restore(entries: readonly Event[]): void {
    for (const entry of entries) if (entry.type === "citation") this.#known.add(entry.citation);
  }

  add(sources: readonly Cited[], writer: AgentWriter): Event[] {
    return sources.flatMap(({ url: address, title: name, text: quote }): Event[] => {
      const url = lineOf(address, 2000);
      const title = lineOf(name);
      const text = textOf(quote)?.slice(0, 4000);
      const citation = (url ?? title ?? text)?.slice(0, LONGEST_ID);
      if (!citation || this.#known.has(citation) || this.#known.size >= MOST) return [];
      this.#known.add(citation);
      const fields = { ...(title && { title }), ...(url && { url }), ...(text && { text }) };
      return [writer.own({ type: "citation", citation, ...fields })];
    });
  }
}
