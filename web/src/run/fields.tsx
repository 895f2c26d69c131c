import { amount, visibleText } from "runcast/view";
import type { Json } from "runcast/events";
import { JsonTree } from "./json-tree.tsx";

interface FieldsProps {
  readonly input: { readonly [key: string]: Json | undefined };
  /** Whether a field has arrived completely. Default: all have. */
  readonly isWhole?: (key: string) => boolean;
  /** The raw text of all fields so far. */
  readonly raw?: string;
}

/** The fields of an object, stacked. Shows only the tail of incomplete ones. */
export const Fields = ({ input, isWhole = () => true, raw = "" }: FieldsProps) => (
  <dl className="grid grid-cols-[minmax(3rem,auto)_1fr] gap-x-3 gap-y-1 font-mono text-xs">
    {Object.entries(input).map(([key, value]) => {
      const whole = isWhole(key);
      return (
        <div key={key} className="contents" data-field={key} data-whole={whole}>
          <dt className="max-w-40 truncate text-soft" title={key}>
            {visibleText(key)}
          </dt>
          <dd className="min-w-0">
            {typeof value === "object" && value !== null && whole ? (
              <JsonTree value={value} />
            ) : (
              <Text text={!whole && typeof value === "object" ? raw : String(value)} isWhole={whole} />
            )}
          </dd>
        </div>
      );
    })}
  </dl>
);

/** Whether a value is best shown by its fields. */
export const isFields = (input: Json | undefined): input is { [key: string]: Json } =>
  typeof input === "object" && input !== null && !Array.isArray(input) && Object.keys(input).length <= MAX_FIELDS;

/** Shows only the newest text, so a frame costs the same however long the arguments are. */
export const tailOf = (text: string): string => (text.length > SHOWN ? `…${text.slice(-SHOWN)}` : text);

const Text = ({ text, isWhole }: { readonly text: string; readonly isWhole: boolean }) => (
  <pre
    className="max-h-60 overflow-auto whitespace-pre-wrap [overflow-wrap:anywhere]"
    {...(text.length > 400 && { tabIndex: 0, role: "group", "aria-label": "Value" })}
  >
    {visibleText(isWhole ? clipped(text) : tailOf(text))}
    {!isWhole && (
      <span
        role="img"
        aria-label="still streaming"
        className="ml-0.5 inline-block h-3 w-1.5 animate-pulse bg-executing align-middle motion-reduce:animate-none"
      />
    )}
  </pre>
);

const clipped = (text: string): string =>
  text.length > LONGEST
    ? `${text.slice(0, LONGEST)}… (${amount(text.length)} characters; copy the arguments to see the full text)`
    : text;

const MAX_FIELDS = 50;
const SHOWN = 1500;
const LONGEST = 20_000;
