import { cards } from "./styles/cards.ts";
import { citations } from "./styles/citations.ts";
import { collapse } from "./styles/collapse.ts";
import { details } from "./styles/details.ts";
import { live } from "./styles/live.ts";
import { type Pipe, readPipe } from "./pipe.ts";
import type { CreateShow } from "./show.ts";

/** All that there are, one file each; the first unless another is asked for. */
const SHOWN = { cards, citations, collapse, details, live } satisfies Readonly<Record<string, CreateShow>>;

type StyleName = keyof typeof SHOWN;
export const STYLES = Object.keys(SHOWN) as [StyleName, ...StyleName[]];

/** How one client wants to see a run, and what is known of it. */
export interface Style {
  readonly name: StyleName;
  readonly createShow: CreateShow;
  /** Undefined without it. */
  readonly pipe: Pipe | undefined;
}

export const isStyle = (text: string): text is StyleName => Object.hasOwn(SHOWN, text);

/** The name, then what the pipe said: `cards; open-webui=0.10.2; mode=native`. */
export const readStyle = (text = ""): Style => {
  const [asked = "", ...facts] = text.split(";").map((part) => part.trim());
  const name = isStyle(asked) ? asked : STYLES[0];
  return { name, createShow: SHOWN[name], pipe: readPipe(facts.join(";")) };
};
