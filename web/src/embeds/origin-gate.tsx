import { useRef } from "react";
import { oneLine } from "runcast/view";
import { useSteady } from "../kit/use-steady.ts";

export interface OriginGateProps {
  readonly title: string;
  /** Who gets a permanent permission. */
  readonly holder: string;
  readonly origins: readonly string[];
  readonly canShowWithout: boolean;
  readonly onDecide: (origins: readonly string[], isForHolder: boolean) => void;
}

const BUTTON = "rounded-md border border-line bg-card px-3 py-1 text-sm hover:bg-tint";

/** Asks the user before an embed reaches any origin. */
export const OriginGate = ({ title, holder, origins, canShowWithout, onDecide }: OriginGateProps) => {
  const section = useRef<HTMLElement>(null);
  const { isSteady, isInPlace } = useSteady(section);
  const choice = (label: string, chosen: readonly string[], isForHolder: boolean) => (
    <button
      type="button"
      className={BUTTON}
      aria-disabled={!isSteady}
      onClick={() => isSteady && isInPlace() && onDecide(chosen, isForHolder)}
    >
      {label}
    </button>
  );
  return (
    <section ref={section} aria-label={`Allow ${title}`} className="rounded-lg border border-line bg-warm p-3 text-ink">
      <p className="font-medium">{title} wants to load content from</p>
      <ul className="my-2 font-mono text-sm break-all">
        {origins.map((origin) => (
          <li key={origin}>{origin}</li>
        ))}
      </ul>
      <p className="flex flex-wrap gap-2">
        {choice("Allow once", origins, false)}
        {choice(`Always allow for ${oneLine(holder)}`, origins, true)}
        {canShowWithout && choice("Show without this content", [], false)}
      </p>
    </section>
  );
};
