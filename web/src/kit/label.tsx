import type { ReactNode } from "react";

/** The heading of a section of a card, with its controls. */
export const Label = ({ text, beside }: { readonly text: string; readonly beside?: ReactNode }) => (
  <div className="mb-0.5 flex min-h-5 items-center gap-2 text-xs font-medium text-soft">
    <span>{text}</span>
    {beside}
  </div>
);
