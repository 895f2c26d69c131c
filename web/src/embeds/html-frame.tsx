import { useEffect, useRef, useState } from "react";
import type { CallNode } from "runcast/state";
import { createAppHost } from "./app-host.ts";
import { useEmbeds } from "./embeds-context.ts";
import { frameUrl, withReporter } from "./frame-document.ts";
import { frameMessageOf } from "./frame-messages.ts";

export interface HtmlFrameProps {
  readonly html: string;
  readonly title: string;
  /** What it may reach. */
  readonly origins: readonly string[];
  /** It is shown no higher than this, in pixels. */
  readonly maxHeight?: number | undefined;
  /** The call whose result it shows. */
  readonly call?: CallNode | undefined;
  /** Words that it proposes for the next message. */
  readonly onDraft?: ((text: string) => void) | undefined;
  /** Its policy has refused it something there. */
  readonly onBlocked: (origin: string) => void;
  /** It led itself to another document, and was taken away. */
  readonly onClosed: () => void;
}

const FIRST_HEIGHT = 150;

/** A document in its frame. A frame takes one document in its life: give another one another key. */
export const HtmlFrame = ({ html, title, origins, maxHeight, call, onDraft, onBlocked, onClosed }: HtmlFrameProps) => {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const [isOver, setOver] = useState(false);
  const [wanted, setWanted] = useState<string>();
  const embeds = useEmbeds();
  // As they were when the frame was made: it cannot be given others.
  const [permissions] = useState(embeds.permissions.get);
  const src = frameUrl(origins, permissions);
  // A run goes on while the frame lives: what it is told later is what is known then.
  const latest = useRef({ call, onDraft, onBlocked, onClosed });
  latest.current = { call, onDraft, onBlocked, onClosed };

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
    const close = () => {
      setOver(true);
      latest.current.onClosed();
    };
    const onLoad = () => {
      loads += 1;
      if (isGiven && loads > 1) close();
      else give();
    };
    const onReady = () => {
      if (isReady) return close();
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
      else if (message.says === "blocked") latest.current.onBlocked(message.origin);
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
    <>
      <iframe
        ref={frame}
        title={title}
        src={src}
        sandbox={["allow-scripts", ...permissions.map((name) => `allow-${name}`)].join(" ")}
        referrerPolicy="no-referrer"
        className="w-full rounded-lg border border-line bg-white"
        style={{ height: Math.min(height, maxHeight ?? height) }}
      />
      {wanted !== undefined && (
        <p className="mt-1 text-sm">
          {title} wants to open{" "}
          <a className="underline" href={wanted} target="_blank" rel="noopener noreferrer">
            {wanted}
          </a>
        </p>
      )}
    </>
  );
};

const prefersDark = (): boolean =>
  document.documentElement.dataset["theme"] === undefined && matchMedia("(prefers-color-scheme: dark)").matches;
