import { useContext, useEffect, useState } from "react";
import { LiveUntil, Moment } from "./run-context.ts";

/** This device's time, updated every `ms`. Stops while nothing is received about the run, and in a replay. */
export const usePresent = (ms: number): number => {
  const moment = useContext(Moment);
  const until = useContext(LiveUntil);
  const isLive = until === Infinity;
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isLive || moment !== undefined) return;
    const timer = setInterval(() => setNow(Date.now()), ms);
    return () => clearInterval(timer);
  }, [isLive, moment, ms]);
  return isLive ? now : until;
};
