import { useContext, useEffect, useState } from "react";
import { LiveUntil, Moment } from "./run-context.ts";

/** The time by this device's clock, told again every `ms`. It stands still while nothing is heard of the run, and in a replay. */
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
