import { type ReactNode, useId } from "react";
import { IconChevron } from "./icons.tsx";

/** A line that expands and collapses the content below it. Content stays mounted once shown. */
export const Fold = ({
  open,
  onToggle,
  line,
  beside,
  children,
}: {
  readonly open: boolean;
  readonly onToggle: (open: boolean) => void;
  readonly line: ReactNode;
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}) => {
  const id = useId();
  return (
    <>
      <div className="flex min-h-9 items-center gap-2 pr-2 pointer-coarse:min-h-11">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => onToggle(!open)}
          className="flex min-w-0 flex-1 cursor-pointer items-center gap-2 rounded-lg py-1.5 pl-2.5 text-left"
        >
          {line}
          <IconChevron
            className={`size-3.5 text-soft transition-transform @max-2xs:hidden motion-reduce:transition-none ${open ? "rotate-90" : ""}`}
          />
        </button>
        {beside}
      </div>
      <div id={id} hidden={!open}>
        {children}
      </div>
    </>
  );
};
