import { useEffect, useState } from "react";

/** The current time, updated every second while `isOn`. */
export const useNow = (isOn: boolean): number => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isOn) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isOn]);
  return now;
};
