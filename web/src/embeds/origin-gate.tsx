import { oneLine } from "runcast/view";

export interface OriginGateProps {
  readonly title: string;
  readonly agent: string;
  readonly origins: readonly string[];
  readonly canShowWithout: boolean;
  readonly onDecide: (origins: readonly string[], isForAgent: boolean) => void;
}

const BUTTON = "rounded-md border border-line bg-card px-3 py-1 text-sm hover:bg-sunken";

/** Before an embed reaches anything: what it wants to reach, and the person's word on it. */
export const OriginGate = ({ title, agent, origins, canShowWithout, onDecide }: OriginGateProps) => (
  <section aria-label={`Allow ${title}`} className="rounded-lg border border-line bg-warm p-3 text-ink">
    <p className="font-medium">{title} wants to load from</p>
    <ul className="my-2 font-mono text-sm break-all">
      {origins.map((origin) => (
        <li key={origin}>{origin}</li>
      ))}
    </ul>
    <p className="flex flex-wrap gap-2">
      <button type="button" className={BUTTON} onClick={() => onDecide(origins, false)}>
        Allow once
      </button>
      <button type="button" className={BUTTON} onClick={() => onDecide(origins, true)}>
        Always allow for {oneLine(agent)}
      </button>
      {canShowWithout && (
        <button type="button" className={BUTTON} onClick={() => onDecide([], false)}>
          Show without
        </button>
      )}
    </p>
  </section>
);
