import { parseJson } from "../../json.ts";
import type { CallStyle } from "./call-texts.ts";

/** The parts of a request that its response depends on. */
export interface ChatStyle {
  /** The agent's name as the client wrote it. */
  readonly model?: string;
  /** Whether the last chunk reports usage. */
  readonly usage?: boolean;
  /** Whether the client provides its own tools. */
  readonly tools?: boolean;
  /** How the agent's own calls appear in the text. Not at all if undefined. */
  readonly calls?: CallStyle;
}

export const writeStyle = (style: ChatStyle): string => JSON.stringify(style);

/** Returns an empty style for text that another dialect or client wrote. */
export const readStyle = (text: string | undefined): ChatStyle => {
  return (text?.startsWith("{") ? (parseJson(text) as ChatStyle | undefined) : undefined) ?? {};
};
