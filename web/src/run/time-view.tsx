import { useContext, useState } from "react";
import { createLogClock, type Time, timeText } from "runcast/view";
import { Moment } from "./run-context.ts";
import { usePresent } from "./use-present.ts";

interface TimeViewProps {
  readonly time: Time | undefined;
  readonly className?: string;
}

/** How long something took or has been running. Ticks once a second, without rendering anything else. */
export const TimeView = ({ time, className }: TimeViewProps) => {
  if (!time) return null;
  if ("since" in time) return <Running time={time} className={`${className ?? ""} text-executing`} />;
  return (
    <span className={`${className ?? ""} text-soft`} data-time>
      {timeText(time, 0)}
    </span>
  );
};

const Running = ({ time, className }: Required<TimeViewProps> & { readonly time: Time }) => {
  const moment = useContext(Moment);
  const present = usePresent();
  const [clock] = useState(() => {
    const log = createLogClock();
    log.hear(time, Date.now());
    return log;
  });
  // Nothing was received about it since the page was opened, so it may have ended long ago.
  if (moment === undefined && present === 0) return null;
  return (
    <span className={className} data-time data-elapsed>
      {timeText(time, moment ?? clock.at(present))}
    </span>
  );
};
