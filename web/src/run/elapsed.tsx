import { useContext, useState } from "react";
import { duration, elapsed } from "runcast/amounts";
import { Moment } from "./run-context.ts";
import { usePresent } from "./use-present.ts";

/** How long something has been going on. Ticks by itself and renders nothing else again. */
export const Elapsed = ({ since, className }: { readonly since: number; readonly className?: string }) => {
  const moment = useContext(Moment);
  const present = usePresent(TICK);
  // The server's clock may be ahead of ours: then it began when we learned of it.
  const [seen] = useState(() => Math.min(since, Date.now()));
  // Nobody has heard of it since this page was opened: it may be over long since.
  if (moment === undefined && present === 0) return null;
  return (
    <span className={className} data-elapsed>
      {moment === undefined ? elapsed(present - seen) : duration(moment - since)}
    </span>
  );
};

const TICK = 100;
