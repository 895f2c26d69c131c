import type { ReactNode } from "react";
import { IconButton } from "./button.tsx";
import { IconClose } from "./shell-icons.tsx";
import { useModal } from "./use-modal.ts";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A modal dialog. The browser traps the focus, closes it on Escape, and restores the focus. */
export const Dialog = ({ title, onClose, children }: DialogProps) => {
  const element = useModal();
  return (
    <dialog
      ref={element}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === element.current) onClose();
      }}
      className="m-auto max-h-[min(44rem,100dvh-2rem)] w-[min(40rem,100vw-2rem)] overflow-hidden rounded-2xl border border-line bg-card p-0 text-ink shadow-lg backdrop:bg-scrim"
    >
      <div className="flex max-h-[inherit] flex-col">
        <header className="flex items-center justify-between border-b border-line py-2 pr-2 pl-4">
          <h2 className="font-semibold">{title}</h2>
          <IconButton label="Close" onClick={onClose}>
            <IconClose />
          </IconButton>
        </header>
        {/* Relative, so hidden inputs are part of it. Otherwise, focusing one would scroll the dialog's head away. */}
        <div className="relative overflow-y-auto p-4" tabIndex={-1}>
          {children}
        </div>
      </div>
    </dialog>
  );
};
