import type { Json } from "runcast/events";
import type { CallNode } from "runcast/state";
import { CopyButton } from "./copy-button.tsx";
import { JsonTree } from "./json-tree.tsx";
import { Label } from "./label.tsx";
import { useRunContext } from "./run-context.ts";

/** The arguments of a call, as they stream: which of its fields are whole, and the end of those that are not. */
export const Arguments = ({ call }: { readonly call: CallNode }) => {
  const { input } = call;
  if (input === undefined && call.inputText === "")
    return call.inputDone || call.endedAt !== undefined ? null : (
      <p className="text-xs text-soft">Arguments are coming…</p>
    );
  return (
    <section aria-label="Arguments" data-arguments>
      <Label
        text={call.edited ? "Arguments, edited by a person" : "Arguments"}
        beside={<CopyButton what="arguments" text={() => argumentText(call)} />}
      />
      {isFields(input) ? (
        <Fields call={call} input={input} />
      ) : input === undefined ? (
        <pre className="max-h-40 overflow-auto whitespace-pre-wrap font-mono text-xs [overflow-wrap:anywhere]">
          {tail(call.inputText)}
        </pre>
      ) : (
        <JsonTree value={input} />
      )}
    </section>
  );
};

const Fields = ({
  call,
  input,
}: {
  readonly call: CallNode;
  readonly input: Readonly<Record<string, Json | undefined>>;
}) => {
  const { state } = useRunContext();
  const parser = call.inputDone ? undefined : state.inputs.get(call.id);
  return (
    <dl className="grid grid-cols-[minmax(3rem,auto)_1fr] gap-x-3 gap-y-1 font-mono text-xs">
      {Object.entries(input).map(([key, value]) => {
        const isWhole = !parser || parser.complete([key]);
        return (
          <div key={key} className="contents" data-field={key} data-whole={isWhole}>
            <dt className="max-w-40 truncate text-soft" title={key}>
              {key}
            </dt>
            <dd className="min-w-0">
              <FieldValue value={value} isWhole={isWhole} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
};

const FieldValue = ({ value, isWhole }: { readonly value: Json | undefined; readonly isWhole: boolean }) => {
  if (typeof value === "object" && value !== null)
    return isWhole ? (
      <JsonTree value={value} />
    ) : (
      <pre className="whitespace-pre-wrap [overflow-wrap:anywhere]">{tail(JSON.stringify(value, undefined, 1))}</pre>
    );
  return (
    <pre
      className="max-h-60 overflow-auto whitespace-pre-wrap [overflow-wrap:anywhere]"
      tabIndex={isWhole ? undefined : -1}
    >
      {isWhole ? whole(value) : tail(String(value ?? ""))}
      {!isWhole && (
        <span
          className="ml-0.5 inline-block h-3 w-1.5 animate-pulse bg-executing align-middle motion-reduce:animate-none"
          aria-label="still coming"
          role="img"
        />
      )}
    </pre>
  );
};

const isFields = (input: Json | undefined): input is { [key: string]: Json } =>
  typeof input === "object" && input !== null && !Array.isArray(input) && Object.keys(input).length <= MOST_FIELDS;

const argumentText = (call: CallNode): string =>
  typeof call.input === "string" ? call.input : (JSON.stringify(call.input, undefined, 2) ?? call.inputText);

const MOST_FIELDS = 50;
const SHOWN = 1500;
const LONGEST = 20_000;

/** What comes now is what one wants to see; and a frame must not cost more the longer the arguments become. */
const tail = (text: string): string => (text.length > SHOWN ? `…${text.slice(-SHOWN)}` : text);

const whole = (value: string | number | boolean | null | undefined): string => {
  const text = String(value);
  return text.length > LONGEST
    ? `${text.slice(0, LONGEST)}… (${text.length.toLocaleString("en-US")} characters: copy them to see all)`
    : text;
};
