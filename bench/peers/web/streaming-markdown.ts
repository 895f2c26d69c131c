// Only streaming-markdown, at its best: no framework, its own renderer, and the tokens of a frame are written together.
import { default_renderer, type Parser, parser, parser_end, parser_write } from "streaming-markdown";
import { later } from "./pace.ts";

interface Card {
  readonly name: string;
  readonly input: string;
  readonly output: string;
}
type Beat = { readonly kind: "token"; readonly text: string } | ({ readonly kind: "card" } & Card);
interface Past {
  readonly question: string;
  readonly text: string;
  readonly card: Card;
}

const root = document.querySelector("#root")!;

const element = (name: string, text = ""): HTMLElement => {
  const created = document.createElement(name);
  created.textContent = text;
  return created;
};

const cardOf = ({ name, input, output }: Card): HTMLElement => {
  const card = element("details");
  card.append(element("summary", name), element("pre", input), element("pre", output));
  return card;
};

const pastOf = ({ question, text, card }: Past): HTMLElement => {
  const article = element("article");
  article.style.cssText = "content-visibility: auto; contain-intrinsic-size: auto 300px";
  article.append(element("p", question), element("p", text), cardOf(card));
  return article;
};

const stream = (): void => {
  let text: Parser | undefined;
  let beats: Beat[] = [];
  let frame = 0;
  const show = (): void => {
    frame = 0;
    for (const beat of beats) {
      if (beat.kind === "token") {
        if (!text) {
          const place = element("div");
          root.append(place);
          text = parser(default_renderer(place));
        }
        parser_write(text, beat.text);
      } else {
        if (text) parser_end(text);
        text = undefined;
        root.append(cardOf(beat));
      }
    }
    beats = [];
    window.scrollTo(0, document.body.scrollHeight);
  };
  const source = new EventSource("/beats");
  source.addEventListener("message", ({ data }) => {
    beats.push(JSON.parse(data as string) as Beat);
    frame ||= later(show);
  });
  source.addEventListener("end", () => {
    source.close();
    document.title = "done";
  });
};

const past = (await (await fetch("/history")).json()) as readonly Past[];
root.append(...past.map(pastOf));
const button = element("button", "Start");
button.addEventListener("click", stream);
document.body.append(button);
document.title = "ready";
