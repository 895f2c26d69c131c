import type { ReactNode } from "react";

export interface PagerProps {
  readonly page: number;
  readonly pages: number;
  readonly onPage: (page: number) => void;
  readonly children: ReactNode;
}

/** Buttons for the previous, next, first, and last page. */
export const Pager = ({ page, pages, onPage, children }: PagerProps) => {
  const go = (label: string, to: number) => (
    <button
      type="button"
      disabled={to === page || to < 0 || to >= pages}
      onClick={() => onPage(to)}
      className="cursor-pointer rounded-sm border border-line px-1.5 py-0.5 enabled:hover:border-accent disabled:cursor-default disabled:opacity-50"
    >
      {label}
    </button>
  );
  return (
    <div role="group" aria-label="Pages" className="mt-1.5 flex flex-wrap items-center gap-1.5 text-xs text-soft">
      {go("First", 0)}
      {go("Back", page - 1)}
      {go("Next", page + 1)}
      {go("Last", pages - 1)}
      <span role="status">{children}</span>
    </div>
  );
};
