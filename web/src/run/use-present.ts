import { useContext, useEffect, useState } from "react";
import { LiveUntil, Moment } from "./run-context.ts";

/** This device's time, updated once a second. Stops while nothing is received about the run, and in a replay. */
export const usePresent = (): number => {
  const moment = useContext(Moment);
  const until = useContext(LiveUntil);
  const isLive = until === Infinity;
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isLive || moment !== undefined) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isLive, moment]);
  return isLive ? now : until;
};
