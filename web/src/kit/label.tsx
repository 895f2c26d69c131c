import type { ReactNode } from "react";

/** The name of a part of a card, with what one can do to it. */
export const Label = ({ text, beside }: { readonly text: string; readonly beside?: ReactNode }) => (
  <div className="mb-0.5 flex min-h-5 items-center gap-2 text-xs font-medium text-soft">
    <span>{text}</span>
    {beside}
  </div>
);
