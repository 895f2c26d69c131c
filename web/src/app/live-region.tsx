import type { Announcer } from "../session/announcer.ts";
import { useCell } from "../kit/cell.ts";

/** The only live region for screen readers. */
export const LiveRegion = ({ announcer }: { readonly announcer: Announcer }) => (
  <div role="log" aria-live="polite" aria-relevant="additions" aria-label="Status updates" className="sr-only">
    {useCell(announcer.announcements).map(({ id, text }) => (
      <p key={id}>{text}</p>
    ))}
  </div>
);
