import type { Announcer } from "./announcer.ts";
import { useCell } from "./cell.ts";

/** The one place that screen readers listen to. */
export const LiveRegion = ({ announcer }: { readonly announcer: Announcer }) => (
  <div role="log" aria-live="polite" aria-relevant="additions" aria-label="What has happened" className="sr-only">
    {useCell(announcer.said).map(({ id, text }) => (
      <p key={id}>{text}</p>
    ))}
  </div>
);
