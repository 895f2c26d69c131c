import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";

export interface Piece {
  readonly kind: "text" | "thinking";
  readonly text: string;
}

/**
 * Finds the thinking that open models write into their text between `<think>`, `<thinking>` or `<reason>` and its end
 * tag. The result does not depend on how the text is split into pieces.
 *
 * A tag counts only at the beginning of a response or right after earlier thinking. White space around it is dropped.
 * Anywhere else, including in a code fence, a tag is ordinary text, because a response may be about tags. Thinking
 * without an end tag is thinking to the end.
 */
export interface ThinkTags {
  take(text: string): Piece[];
  /** Returns what is left when the text ends. More text may follow, and continues from the current state. */
  end(): Piece[];
  /** Whether all further input is text. */
  readonly done: boolean;
}

export const thinkTags = (): ThinkTags => {
  let state: "before" | "between" | "opened" | "thinking" | "text" = "before";
  let close = "";
  let held = "";

  /** Consumes the part of `held` that is unambiguous. False if more input is needed. */
  const advance = (pieces: Piece[], isEnd: boolean): boolean => {
    if (held === "") return false;
    if (state === "text") return give(pieces, "text", held.length);
    if (state === "opened") {
      held = held.trimStart();
      if (held === "") return false;
      state = "thinking";
    }
    if (state === "thinking") {
      const at = held.indexOf(close);
      if (at < 0) return give(pieces, "thinking", isEnd ? held.length : held.length - overlap(held, close)) && false;
      give(pieces, "thinking", at);
      held = held.slice(close.length);
      state = "between";
      return true;
    }
    const begin = held.trimStart();
    const tag = OPEN.find((open) => begin.startsWith(open));
    if (tag) {
      held = begin.slice(tag.length);
      close = `</${tag.slice(1)}`;
      state = "opened";
      return true;
    }
    if (!isEnd && (begin === "" || OPEN.some((open) => open.startsWith(begin)))) return false;
    if (state === "between") held = begin;
    if (begin !== "") state = "text";
    return give(pieces, "text", held.length);
  };
  const give = (pieces: Piece[], kind: Piece["kind"], length: number): true => {
    if (length > 0) pieces.push({ kind, text: held.slice(0, length) });
    held = held.slice(length);
    return true;
  };

  return {
    take(text) {
      const pieces: Piece[] = [];
      held += text;
      while (advance(pieces, false));
      return pieces;
    },
    end() {
      const pieces: Piece[] = [];
      while (advance(pieces, true));
      return pieces;
    },
    get done() {
      return state === "text" && held === "";
    },
  };
};

/**
 * Applies this to a model's stream: splits text parts into text and reasoning parts. Cheap once the response's text has
 * begun, because it then inspects nothing.
 */
export const separateThinking = (): ((part: LanguageModelV4StreamPart) => readonly LanguageModelV4StreamPart[]) => {
  const tags = thinkTags();
  let written: { readonly id: string; readonly metadata: SharedV4ProviderMetadata | undefined } | undefined;
  let thinking: string | undefined;
  let hasText = false;
  let count = 0;

  const endThinking = (): LanguageModelV4StreamPart[] => {
    const id = thinking;
    thinking = undefined;
    return id === undefined ? [] : [{ type: "reasoning-end", id }];
  };
  const startText = (): LanguageModelV4StreamPart[] => {
    if (!written || hasText) return [];
    hasText = true;
    const { id, metadata } = written;
    return [{ type: "text-start", id, ...(metadata && { providerMetadata: metadata }) }];
  };
  const say = (id: string, pieces: readonly Piece[]): LanguageModelV4StreamPart[] =>
    pieces.flatMap(({ kind, text: delta }): LanguageModelV4StreamPart[] => {
      if (kind === "text") return [...endThinking(), ...startText(), { type: "text-delta", id, delta }];
      if (thinking !== undefined) return [{ type: "reasoning-delta", id: thinking, delta }];
      thinking = `${id}-think-${(count += 1)}`;
      return [
        { type: "reasoning-start", id: thinking },
        { type: "reasoning-delta", id: thinking, delta },
      ];
    });
  const finish = (): LanguageModelV4StreamPart[] => {
    const parts = written ? [...say(written.id, tags.end()), ...endThinking()] : [];
    written = undefined;
    return parts;
  };

  return (part) => {
    if (part.type === "finish") return [...finish(), part];
    if (part.type === "text-start" && !tags.done) {
      written = { id: part.id, metadata: part.providerMetadata };
      hasText = false;
      return [];
    }
    if (!written || !("id" in part) || part.id !== written.id) return [part];
    if (part.type === "text-delta") return hasText && tags.done ? [part] : say(part.id, tags.take(part.delta));
    if (part.type !== "text-end") return [part];
    const parts = [...say(part.id, tags.end()), ...endThinking()];
    // A part without text still goes back to the provider if it has metadata.
    if (written.metadata || part.providerMetadata) parts.push(...startText());
    written = undefined;
    return hasText ? [...parts, part] : parts;
  };
};

const OPEN = ["<think>", "<thinking>", "<reason>"];

/** The number of characters at the end of `text` that may be the beginning of `mark`. */
const overlap = (text: string, mark: string): number => {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length -= 1)
    if (mark.startsWith(text.slice(-length))) return length;
  return 0;
};
