import type { ButtonHTMLAttributes, ReactNode } from "react";

const KINDS = {
  plain: "border border-line bg-card text-ink hover:bg-tint",
  main: "border border-transparent bg-accent text-on-accent hover:opacity-90",
  quiet: "border border-transparent text-soft hover:bg-tint hover:text-ink",
} as const;

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: keyof typeof KINDS;
}

export const Button = ({ kind = "plain", className = "", ...rest }: ButtonProps) => (
  <button
    type="button"
    className={`inline-flex min-h-9 items-center justify-center gap-1.5 rounded-lg px-3 text-sm font-medium disabled:cursor-not-allowed disabled:opacity-50 ${KINDS[kind]} ${className}`}
    {...rest}
  />
);

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** What it does, for screen readers and as its tooltip. */
  readonly label: string;
  readonly children: ReactNode;
}

export const IconButton = ({ label, className = "", ...rest }: IconButtonProps) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    className={`inline-flex size-9 pointer-coarse:size-10 shrink-0 items-center justify-center rounded-lg text-soft hover:bg-tint hover:text-ink disabled:cursor-not-allowed disabled:opacity-50 aria-pressed:bg-tint aria-pressed:text-ink ${className}`}
    {...rest}
  />
);
