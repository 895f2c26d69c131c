export interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly type?: string;
  readonly placeholder: string;
  readonly describedBy?: string;
}

/** A single-line field of a settings form. */
export const Field = ({ name, label, type = "text", placeholder, describedBy }: FieldProps) => (
  <label className="block text-xs font-medium text-soft">
    {label}
    <input
      name={name}
      type={type}
      placeholder={placeholder}
      autoComplete="off"
      aria-describedby={describedBy}
      className="mt-1 block h-9 w-full rounded-lg border border-line bg-card px-2.5 text-sm text-ink placeholder:text-soft"
    />
  </label>
);
