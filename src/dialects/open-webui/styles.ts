import { cards } from "./styles/cards.ts";
import { citations } from "./styles/citations.ts";
import { collapse } from "./styles/collapse.ts";
import { details } from "./styles/details.ts";
import { live } from "./styles/live.ts";
import { type Pipe, readPipe } from "./pipe.ts";
import type { CreateShow } from "./show.ts";

/** All styles, one file each. The first is the default. */
const SHOWN = { cards, citations, collapse, details, live } satisfies Readonly<Record<string, CreateShow>>;

type StyleName = keyof typeof SHOWN;
export const STYLES = Object.keys(SHOWN) as [StyleName, ...StyleName[]];

/** A client's style, and the facts about its pipe. */
export interface Style {
  readonly name: StyleName;
  readonly createShow: CreateShow;
  /** Undefined if the client is not the pipe. */
  readonly pipe: Pipe | undefined;
}

export const isStyle = (text: string): text is StyleName => Object.hasOwn(SHOWN, text);

/** Parses the style's name and the pipe's facts: `cards; open-webui=0.10.2; mode=native`. */
export const readStyle = (text = ""): Style => {
  const [asked = "", ...facts] = text.split(";").map((part) => part.trim());
  const name = isStyle(asked) ? asked : STYLES[0];
  return { name, createShow: SHOWN[name], pipe: readPipe(facts.join(";")) };
};
