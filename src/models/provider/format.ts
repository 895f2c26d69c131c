import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Fields } from "../../json.ts";
import type { Refusal } from "../../source.ts";

/** A side channel for information about a response that bypasses the provider's library. */
export interface Aside {
  /** A part to emit in addition to the library's parts. */
  part(part: LanguageModelV4StreamPart): void;
  /** The provider is alive but has no output yet. */
  alive(): void;
  /** Bytes arrived, whatever they contain. */
  received(): void;
  /** An unreadable piece of the response was skipped. */
  skipped(): void;
  /** Why the response failed, if it fails, where that is known more precisely than from the library's error. */
  failure?: Error | undefined;
}

/** A provider's format of streamed responses: the parts to inspect before the provider's library reads them. */
export interface Format {
  /**
   * Returns what the library should read in place of a frame's value, whose text is `data`. An unchanged value must be
   * the same object.
   */
  read(value: Fields, data: string): readonly Fields[];
  /** Whether the response is complete with this value. A later connection error then does no harm. */
  isEnd(value: Fields): boolean;
  /** The cause of an error with this status, if the format can explain it better than the server. */
  refusalOf?(status: number, body: string): Refusal | undefined;
  /** Converts the complete response of a server that does not stream into one chunk of the format. */
  chunkOf?(whole: Fields): Fields | undefined;
}

/** Creates a format for one response. */
export type CreateFormat = (aside: Aside) => Format;

export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
