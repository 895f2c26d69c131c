// Only streamdown, at its best: past messages are plain and never rendered again, the text of each stretch grows in a
// state that is set once per frame, and nothing else renders.
import { memo, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { Streamdown } from "streamdown";
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

const CardView = memo(({ card }: { readonly card: Card }) => (
  <details>
    <summary>{card.name}</summary>
    <pre>{card.input}</pre>
    <pre>{card.output}</pre>
  </details>
));

const PastView = memo(({ past }: { readonly past: Past }) => (
  <article style={{ contentVisibility: "auto", containIntrinsicSize: "auto 300px" }}>
    <p>{past.question}</p>
    <p>{past.text}</p>
    <CardView card={past.card} />
  </article>
));

const History = memo(({ past }: { readonly past: readonly Past[] }) =>
  past.map((one, index) => <PastView key={index} past={one} />),
);

const Item = memo(({ item }: { readonly item: string | Card }) =>
  typeof item === "string" ? <Streamdown isAnimating>{item}</Streamdown> : <CardView card={item} />,
);

const Stream = () => {
  const [items, setItems] = useState<readonly (string | Card)[]>([]);
  useEffect(() => {
    let now: (string | Card)[] = [];
    let frame = 0;
    const source = new EventSource("/beats");
    source.addEventListener("message", ({ data }) => {
      const beat = JSON.parse(data as string) as Beat;
      const last = now.at(-1);
      if (beat.kind === "card") now = [...now, beat];
      else if (typeof last === "string") now = [...now.slice(0, -1), last + beat.text];
      else now = [...now, beat.text];
      frame ||= later(() => {
        frame = 0;
        setItems(now);
        window.scrollTo(0, document.body.scrollHeight);
      });
    });
    source.addEventListener("end", () => {
      source.close();
      document.title = "done";
    });
    return () => source.close();
  }, []);
  return items.map((item, index) => <Item key={index} item={item} />);
};

const App = () => {
  const [past, setPast] = useState<readonly Past[]>();
  const [isStarted, setStarted] = useState(false);
  useEffect(() => {
    void fetch("/history")
      .then((response) => response.json())
      .then((all) => setPast(all as Past[]));
  }, []);
  useEffect(() => {
    if (past) document.title = "ready";
  }, [past]);
  return (
    <>
      {past && <History past={past} />}
      {isStarted && <Stream />}
      <button onClick={() => setStarted(true)}>Start</button>
    </>
  );
};

createRoot(document.querySelector("#root")!).render(<App />);
