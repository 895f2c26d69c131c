export interface ToggleProps {
  readonly on: boolean;
  readonly press: () => void;
  /** An inline link, or a segment of a group. */
  readonly kind: keyof typeof KINDS;
  readonly children: string;
}

const KINDS = {
  link: "text-accent underline aria-pressed:font-semibold",
  segment:
    "bg-card px-2 py-0.5 pointer-coarse:py-1.5 text-ink not-aria-pressed:hover:bg-tint aria-pressed:bg-accent aria-pressed:text-on-accent",
} as const;

/** A button that is on or off. */
export const Toggle = ({ on, press, kind, children }: ToggleProps) => (
  <button type="button" aria-pressed={on} onClick={press} className={`cursor-pointer text-xs ${KINDS[kind]}`}>
    {children}
  </button>
);
