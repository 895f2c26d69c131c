import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Fields } from "../../json.ts";
import type { Refusal } from "../../source.ts";

/** What comes with an answer and does not pass through the provider's library. */
export interface Aside {
  /** Something to show beside what the library makes of the answer. */
  part(part: LanguageModelV4StreamPart): void;
  /** The provider is there and has nothing to say yet. */
  alive(): void;
  /** A piece of the answer that nobody can read was left out. */
  skipped(): void;
  /** Why the answer fails, where that is known better than its library can tell. */
  refusal?: Refusal | undefined;
}

/** One provider's format of streamed answers, as far as it has to be looked at before the provider's library reads it. */
export interface Format {
  /** What the library is to read in the place of a frame's data. What is not changed is the same object. */
  read(value: Fields): readonly Fields[];
  /** Whether the answer is whole with this: what happens to the connection then takes nothing from it. */
  isEnd(value: Fields): boolean;
  /** Why an answer with this status fails, if the format knows better than the server says. */
  refusalOf?(status: number, body: string): Refusal | undefined;
  /** A whole answer, as it comes from servers that do not stream, as one of the format's chunks. */
  chunkOf?(whole: Fields): Fields | undefined;
}

/** A format for one answer. */
export type CreateFormat = (aside: Aside) => Format;

export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
