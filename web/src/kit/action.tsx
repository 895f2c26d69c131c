import type { ReactNode } from "react";

export interface ActionProps {
  readonly icon: ReactNode;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** A small button in a row of them. On a phone, only its icon is visible, so the row fits. */
export const Action = ({ icon, onClick, children }: ActionProps) => (
  <button
    type="button"
    onClick={onClick}
    className="inline-flex items-center gap-1 rounded-md px-1.5 py-1 text-xs text-soft hover:bg-tint hover:text-ink max-sm:p-2.5"
  >
    {icon}
    <span className="max-sm:sr-only">{children}</span>
  </button>
);
