import type { ReactNode } from "react";

interface AskButtonProps {
  readonly onPress: () => void;
  readonly main?: boolean;
  readonly wide?: boolean;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

export const AskButton = ({ onPress, main = false, wide = false, disabled = false, children }: AskButtonProps) => (
  <button
    type="button"
    disabled={disabled}
    onClick={onPress}
    className={`cursor-pointer rounded-md border px-3 py-1.5 text-sm disabled:cursor-default pointer-coarse:min-h-10 disabled:opacity-60 ${wide ? "w-full text-left" : ""} ${
      main
        ? "border-accent bg-accent text-on-accent enabled:hover:brightness-110"
        : "border-line bg-card text-ink enabled:hover:border-accent"
    }`}
  >
    {children}
  </button>
);
