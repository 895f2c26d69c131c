import { useState } from "react";
import type { CallNode } from "runcast/state";
import { useEmbeds } from "./embeds-context.ts";
import { HtmlFrame } from "./html-frame.tsx";
import { OriginGate } from "./origin-gate.tsx";
import { allow, allowedTo, divideBlocked, reachable } from "./origins.ts";

export interface GatedFrameProps {
  readonly html: string;
  readonly title: string;
  /** Whose page it is: the agent, or a tool of this browser. What a person allows for good, they allow to it. */
  readonly holder: string;
  /** What it may reach to begin with. Default: what its holder may reach. */
  readonly origins?: readonly string[];
  readonly call?: CallNode | undefined;
  readonly onDraft?: ((text: string) => void) | undefined;
}

/** More names than a person reads are not collected. */
const MOST_BLOCKED = 10;

/** While the person has not decided, the document leaves room for the question. */
const UNDECIDED_HEIGHT = 240;

/** A document in its frame, and above it what it tried to reach in vain: whoever allows that gets the document in a new frame. */
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
      {/* A frame's policy is fixed when it is made: with other origins it is another frame. */}
      <HtmlFrame
        key={origins.join(" ")}
        {...rest}
        title={title}
        origins={origins}
        maxHeight={offered.length > 0 ? UNDECIDED_HEIGHT : undefined}
        onClosed={() => setClosed(true)}
        onBlocked={(origin) => setBlocked((before) => [...new Set([...before, origin])].slice(0, MOST_BLOCKED))}
      />
      {others.length > 0 && <figcaption className="text-sm text-soft">Blocked: {others.join(", ")}</figcaption>}
    </figure>
  );
};
