import { useEffect, useMemo, useState } from "react";
import type { EventOf } from "runcast/events";
import type { CallNode } from "runcast/state";
import { useEmbeds } from "./embeds-context.ts";
import { pageAt } from "./frame-document.ts";
import { GatedFrame } from "./gated-frame.tsx";
import { OriginGate } from "./origin-gate.tsx";
import { allow, allowedTo, originsOf, reachable } from "./origins.ts";

export interface EmbedFrameProps {
  /** Its title, with hidden characters made visible. */
  readonly title: string;
  readonly event: EventOf<"embed">;
  /** The server's name for the agent that shows it. Permissions are granted to that agent. */
  readonly agent: string;
  /** The call that it belongs to. */
  readonly call: CallNode | undefined;
  /** Reads a file stored with the run's log. */
  readonly read: ((file: string) => Promise<Response>) | undefined;
  /** Receives text that it proposes for the next message. */
  readonly onDraft: ((text: string) => void) | undefined;
}

/** Untrusted HTML of a run, isolated: an opaque origin, its own policy, and access only to allowed origins. */
export const EmbedFrame = ({ title, event, agent, call, read, onDraft }: EmbedFrameProps) => {
  const { origins: allowed } = useEmbeds();
  const asked = useMemo(() => originsOf([...(event.origins ?? []), ...(event.url ? [event.url] : [])]), [event]);
  const known = allowedTo(agent, allowed.get());
  const isKnown = asked?.every((origin) => known.includes(origin)) ?? false;
  const [decided, setDecided] = useState<readonly string[] | undefined>(
    isKnown ? reachable(asked ?? [], known) : undefined,
  );
  const html = useHtml(event, read);

  if (asked === undefined)
    return <p role="alert">{title} requires an address that cannot be allowed, so it is not shown.</p>;
  if (decided === undefined)
    return (
      <OriginGate
        title={title}
        holder={agent}
        origins={asked}
        canShowWithout={event.url === undefined}
        onDecide={(origins, isForHolder) => {
          if (isForHolder) allowed.set(allow(agent, origins, allowed.get()));
          setDecided(origins.length > 0 ? reachable(origins, known) : []);
        }}
      />
    );
  if (html instanceof Error) return <p role="alert">{`${title} could not be read: ${html.message}`}</p>;
  if (html === undefined) return <p className="text-soft">Loading {title}…</p>;
  return (
    <GatedFrame key={html} html={html} title={title} holder={agent} origins={decided} call={call} onDraft={onDraft} />
  );
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
