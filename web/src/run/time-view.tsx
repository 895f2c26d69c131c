import { useContext, useState } from "react";
import { type Time, timeText } from "runcast/view";
import { Moment } from "./run-context.ts";
import { usePresent } from "./use-present.ts";

/** How long something took or has been going on. Ticks by itself and renders nothing else again. */
export const TimeView = ({ time, className }: { readonly time: Time | undefined; readonly className?: string }) => {
  if (!time) return null;
  if ("since" in time) return <Running since={time.since} className={`${className ?? ""} text-executing`} />;
  return (
    <span className={`${className ?? ""} text-soft`} data-time>
      {timeText(time, 0)}
    </span>
  );
};

const Running = ({ since, className }: { readonly since: number; readonly className: string }) => {
  const moment = useContext(Moment);
  const present = usePresent(TICK);
  // The server's clock may be ahead of ours: then it began when we learned of it.
  const [seen] = useState(() => Math.min(since, Date.now()));
  // Nobody has heard of it since this page was opened: it may be over long since.
  if (moment === undefined && present === 0) return null;
  return (
    <span className={className} data-time data-elapsed>
      {moment === undefined ? timeText({ since: seen }, present) : timeText({ since }, moment)}
    </span>
  );
};

const TICK = 100;
