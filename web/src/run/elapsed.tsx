import { useContext, useEffect, useState } from "react";
import { elapsed } from "runcast/amounts";
import { Moment } from "./run-context.ts";

/** How long something has been going on. Ticks by itself and renders nothing else again. */
export const Elapsed = ({ since, className }: { readonly since: number; readonly className?: string }) => {
  const moment = useContext(Moment);
  const present = useNow(moment === undefined);
  // The server's clock may be ahead of ours: then it began when we learned of it.
  const [seen] = useState(() => Math.min(since, Date.now()));
  const [begun, now] = present === undefined ? [since, moment ?? since] : [seen, present];
  return (
    <span className={className} data-elapsed>
      {elapsed(now - begun)}
    </span>
  );
};

const TICK = 100;

const useNow = (ticks: boolean): number | undefined => {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticks) return;
    const timer = setInterval(() => setNow(Date.now()), TICK);
    return () => clearInterval(timer);
  }, [ticks]);
  return ticks ? now : undefined;
};
