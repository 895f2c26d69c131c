import type { ReactNode } from "react";

export interface IconProps {
  readonly className?: string;
}

export interface Drawn {
  /** The size of its view box. */
  readonly side?: 16 | 20;
  readonly spins?: boolean;
}

const SPINS = "animate-spin group-data-[live=false]/run:animate-none motion-reduce:animate-none";

/** Drawn in the surrounding text color and hidden from screen readers, so there must always be a word next to it or a label. */
export const icon =
  (drawing: ReactNode, { side = 16, spins = false }: Drawn = {}) =>
  ({ className = side === 16 ? "size-4" : "size-5" }: IconProps) => (
    <svg
      viewBox={`0 0 ${side} ${side}`}
      fill="none"
      stroke="currentColor"
      strokeWidth={side === 16 ? "1.5" : "1.6"}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`shrink-0 ${className} ${spins ? SPINS : ""}`}
    >
      {drawing}
    </svg>
  );
