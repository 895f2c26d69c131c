import { Toggle } from "./toggle.tsx";

interface SegmentsProps<Value extends string> {
  /** What they choose, for screen readers. */
  readonly label: string;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly className?: string;
}

/** Buttons side by side, one of which is selected. */
export const Segments = <Value extends string>(props: SegmentsProps<Value>) => {
  const { label, options, value: chosen, onChange, className = "rounded-md" } = props;
  return (
    <div role="group" aria-label={label} className={`flex overflow-hidden border border-line ${className}`}>
      {options.map(({ value, label: text }) => (
        <Toggle key={value} kind="segment" on={value === chosen} press={() => onChange(value)}>
          {text}
        </Toggle>
      ))}
    </div>
  );
};
