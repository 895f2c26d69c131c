import { useState } from "react";
import type { CallNode } from "runcast/state";
import { useEmbeds } from "./embeds-context.ts";
import { HtmlFrame } from "./html-frame.tsx";
import { OriginGate } from "./origin-gate.tsx";
import { allow, allowedTo, divideBlocked, reachable } from "./origins.ts";

export interface GatedFrameProps {
  readonly html: string;
  readonly title: string;
  /** The owner of the page: the agent, or a browser tool. Permanent permissions are granted to the owner. */
  readonly holder: string;
  /** The origins it may reach initially. Default: those its owner may reach. */
  readonly origins?: readonly string[];
  readonly call?: CallNode | undefined;
  readonly onDraft?: ((text: string) => void) | undefined;
}

/** The maximum number of blocked origins to collect. */
const MAX_BLOCKED = 10;

/** Until the user has decided, the document leaves room for the question. */
const UNDECIDED_HEIGHT = 240;

/** A document in its frame, with the blocked origins above it. Allowing them reloads the document in a new frame. */
export const GatedFrame = ({ holder, origins: first, title, ...rest }: GatedFrameProps) => {
  const { origins: allowed } = useEmbeds();
  const [origins, setOrigins] = useState(() => first ?? reachable([], allowedTo(holder, allowed.get())));
  const [blocked, setBlocked] = useState<readonly string[]>([]);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const [isClosed, setClosed] = useState(false);
  const { offered, others } = divideBlocked(isClosed ? [] : blocked, [location.origin, ...refused]);
  const decide = (added: readonly string[], isForHolder: boolean): void => {
    if (added.length === 0) return setRefused([...refused, ...offered]);
    if (isForHolder) allowed.set(allow(holder, added, allowed.get()));
    setBlocked([]);
    setOrigins(reachable([...added, ...origins], []));
  };
  return (
    <figure className="m-0 flex flex-col gap-2">
      {offered.length > 0 && (
        <OriginGate title={title} holder={holder} origins={offered} canShowWithout onDecide={decide} />
      )}
      {/* A frame's policy is fixed at creation, so other origins need another frame. */}
      <HtmlFrame
        key={origins.join(" ")}
        {...rest}
        title={title}
        origins={origins}
        maxHeight={offered.length > 0 ? UNDECIDED_HEIGHT : undefined}
        onClosed={() => setClosed(true)}
        onBlocked={(origin) => setBlocked((before) => [...new Set([...before, origin])].slice(0, MAX_BLOCKED))}
      />
      {others.length > 0 && <figcaption className="text-sm text-soft">Blocked: {others.join(", ")}</figcaption>}
    </figure>
  );
};
