import { parseJson } from "../../json.ts";
import type { CallStyle } from "./call-texts.ts";

/** What of a request its answer depends on. */
export interface ChatStyle {
  /** The name of the agent as the client spells it. */
  readonly model?: string;
  /** Whether a last chunk says what was used. */
  readonly usage?: boolean;
  /** Whether the client brings tools of its own. */
  readonly tools?: boolean;
  /** How the agent's own calls are told among the words; not at all if not said. */
  readonly calls?: CallStyle;
}

export const writeStyle = (style: ChatStyle): string => JSON.stringify(style);

/** Nothing special for a style that somebody else made up. */
export const readStyle = (text: string | undefined): ChatStyle => {
  return (text?.startsWith("{") ? (parseJson(text) as ChatStyle | undefined) : undefined) ?? {};
};
