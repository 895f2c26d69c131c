import { useEffect, useMemo, useRef, useState } from "react";
import type { EventOf } from "runcast/events";
import type { CallNode } from "runcast/state";
import { createAppHost } from "./app-host.ts";
import { useEmbeds } from "./embeds-context.ts";
import { frameUrl, pageAt, withReporter } from "./frame-document.ts";
import { frameMessageOf } from "./frame-messages.ts";
import { OriginGate } from "./origin-gate.tsx";
import { allow, allowedTo, originsOf } from "./origins.ts";

export interface EmbedFrameProps {
  /** What it is called, with nothing hidden in it. */
  readonly title: string;
  readonly event: EventOf<"embed">;
  /** The name of the agent that shows it: what a person allows, they allow to it. */
  readonly agent: string;
  /** The call that it belongs to. */
  readonly call: CallNode | undefined;
  /** Bytes beside the run's log. */
  readonly read: ((file: string) => Promise<Response>) | undefined;
  /** Words that it proposes for the next message. */
  readonly onDraft: ((text: string) => void) | undefined;
}

/** Rich HTML of a run, confined: an opaque origin, its own policy, and no origin reached that was not allowed. */
export const EmbedFrame = ({ title, event, agent, call, read, onDraft }: EmbedFrameProps) => {
  const { origins: allowed } = useEmbeds();
  const asked = useMemo(() => originsOf([...(event.origins ?? []), ...(event.url ? [event.url] : [])]), [event]);
  const isKnown = asked?.every((origin) => allowedTo(agent, allowed.get()).includes(origin)) ?? false;
  const [decided, setDecided] = useState<readonly string[] | undefined>(isKnown ? asked : undefined);
  const html = useHtml(event, read);

  if (asked === undefined)
    return <p role="alert">{title} names an address that cannot be allowed, so it is not shown.</p>;
  if (decided === undefined)
    return (
      <OriginGate
        title={title}
        agent={agent}
        origins={asked}
        canShowWithout={event.url === undefined}
        onDecide={(origins, isForAgent) => {
          if (isForAgent) allowed.set(allow(agent, origins, allowed.get()));
          setDecided(origins);
        }}
      />
    );
  if (html instanceof Error) return <p role="alert">{`${title} could not be read: ${html.message}`}</p>;
  if (html === undefined) return <p className="text-soft">Loading {title}…</p>;
  return <HtmlFrame key={html} html={html} title={title} origins={decided} call={call} onDraft={onDraft} />;
};

const useHtml = ({ html, url, file }: EventOf<"embed">, read: EmbedFrameProps["read"]): string | Error | undefined => {
  const [loaded, setLoaded] = useState<string | Error>();
  useEffect(() => {
    if (file === undefined || !read) return;
    let isGone = false;
    read(file)
      .then((response) => response.text())
      .then(
        (text) => isGone || setLoaded(text),
        (error: unknown) => isGone || setLoaded(error instanceof Error ? error : new Error(String(error))),
      );
    return () => void (isGone = true);
  }, [file, read]);
  return html ?? (url === undefined ? loaded : pageAt(url));
};

export interface HtmlFrameProps {
  readonly html: string;
  readonly title: string;
  /** What it may reach. */
  readonly origins?: readonly string[];
  /** The call whose result it shows. */
  readonly call?: CallNode | undefined;
  /** Words that it proposes for the next message. */
  readonly onDraft?: ((text: string) => void) | undefined;
}

const FIRST_HEIGHT = 150;
const NONE: readonly string[] = [];

/** A document in its frame. A frame takes one document in its life: give another one another key. */
export const HtmlFrame = ({ html, title, origins = NONE, call, onDraft }: HtmlFrameProps) => {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const [blocked, setBlocked] = useState<readonly string[]>([]);
  const [isOver, setOver] = useState(false);
  const [wanted, setWanted] = useState<string>();
  const embeds = useEmbeds();
  // As they were when the frame was made: it cannot be given others.
  const [permissions] = useState(embeds.permissions.get);
  const src = frameUrl(origins, permissions);
  // A run goes on while the frame lives: what it is told later is what is known then.
  const latest = useRef({ call, onDraft });
  latest.current = { call, onDraft };

  useEffect(() => {
    const host = createAppHost({
      get call() {
        return latest.current.call;
      },
      theme: getComputedStyle(document.documentElement).colorScheme === "dark" || prefersDark() ? "dark" : "light",
      onHeight: setHeight,
      onDraft: (text) => latest.current.onDraft?.(text),
      // Shown beside the frame: a dialog that it could open again and again would hold the page.
      onLink: setWanted,
    });
    let loads = 0;
    let isReady = false;
    let isGiven = false;
    // It gets its document once, into the policy that the page chose. A frame that loads again has led itself to another
    // policy: it gets nothing more, and is taken away.
    const give = () => {
      if (!isReady || loads === 0 || isGiven) return;
      isGiven = true;
      loads = 0;
      frame.current?.contentWindow?.postMessage({ html: withReporter(html) }, "*");
    };
    const onLoad = () => {
      loads += 1;
      if (isGiven && loads > 1) setOver(true);
      else give();
    };
    const onReady = () => {
      if (isReady) return setOver(true);
      isReady = true;
      give();
    };
    const element = frame.current;
    element?.addEventListener("load", onLoad);
    const take = (event: MessageEvent<unknown>) => {
      const target = frame.current?.contentWindow ?? null;
      const message = frameMessageOf(event, target);
      if (!message || !target) return;
      // An opaque origin has no name, so a message to it can only be for anyone: it goes to this window alone.
      if (message.says === "ready") onReady();
      else if (!isGiven) return;
      else if (message.says === "height") setHeight(message.height);
      else if (message.says === "blocked")
        setBlocked((before) => [...new Set([...before, message.origin])].slice(0, 10));
      else if (message.says === "draft") latest.current.onDraft?.(message.text);
      else for (const reply of host(message.rpc)) target.postMessage(reply, "*");
    };
    addEventListener("message", take);
    return () => {
      removeEventListener("message", take);
      element?.removeEventListener("load", onLoad);
    };
  }, [html]);

  if (isOver) return <p role="alert">{title} tried to load another document, so it was closed.</p>;

  return (
    <figure className="m-0">
      <iframe
        ref={frame}
        title={title}
        src={src}
        sandbox={["allow-scripts", ...permissions.map((name) => `allow-${name}`)].join(" ")}
        referrerPolicy="no-referrer"
        className="w-full rounded-lg border border-line bg-white"
        style={{ height }}
      />
      {blocked.length > 0 && (
        <figcaption className="mt-1 text-sm text-soft">
          Blocked, because nobody allowed it: {blocked.join(", ")}
        </figcaption>
      )}
      {wanted !== undefined && (
        <p className="mt-1 text-sm">
          {title} wants to open{" "}
          <a className="underline" href={wanted} target="_blank" rel="noopener noreferrer">
            {wanted}
          </a>
        </p>
      )}
    </figure>
  );
};

const prefersDark = (): boolean =>
  document.documentElement.dataset["theme"] === undefined && matchMedia("(prefers-color-scheme: dark)").matches;
