import { useEffect, useRef, useState } from "react";
import type { CallNode } from "runcast/state";
import { createAppHost } from "./app-host.ts";
import { useEmbeds } from "./embeds-context.ts";
import { frameUrl, withReporter } from "./frame-document.ts";
import { frameMessageOf } from "./frame-messages.ts";

export interface HtmlFrameProps {
  readonly html: string;
  readonly title: string;
  /** The origins it may reach. */
  readonly origins: readonly string[];
  /** The maximum height in pixels. */
  readonly maxHeight?: number | undefined;
  /** The call whose result it shows. */
  readonly call?: CallNode | undefined;
  /** Receives text that it proposes for the next message. */
  readonly onDraft?: ((text: string) => void) | undefined;
  /** Called when its policy blocked access to an origin. */
  readonly onBlocked: (origin: string) => void;
  /** Called when it navigated to another document and was therefore removed. */
  readonly onClosed: () => void;
}

const FIRST_HEIGHT = 150;

/** A document in its frame. A frame accepts only one document: use another key for another document. */
export const HtmlFrame = ({ html, title, origins, maxHeight, call, onDraft, onBlocked, onClosed }: HtmlFrameProps) => {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const [isOver, setOver] = useState(false);
  const [wanted, setWanted] = useState<string>();
  const embeds = useEmbeds();
  // The permissions at creation. A frame cannot get others later.
  const [permissions] = useState(embeds.permissions.get);
  const src = frameUrl(origins, permissions);
  // The run continues while the frame exists, so later messages use the latest props.
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
      // Shown next to the frame: a dialog that it could open repeatedly would block the page.
      onLink: setWanted,
    });
    let loads = 0;
    let isReady = false;
    let isGiven = false;
    // The frame gets its document once, under the policy that the page chose. A frame that loads again has navigated to
    // another policy: it gets nothing more and is removed.
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
      // A message to an opaque origin must use the target "*". Only this window receives it.
      if (message.type === "ready") onReady();
      else if (!isGiven) return;
      else if (message.type === "height") setHeight(message.height);
      else if (message.type === "blocked") latest.current.onBlocked(message.origin);
      else if (message.type === "draft") latest.current.onDraft?.(message.text);
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
        className="w-full rounded-lg border border-line bg-paper"
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
