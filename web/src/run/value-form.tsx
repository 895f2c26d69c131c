import { useId, useState } from "react";
import type { AskParts } from "./ask-form.tsx";
import { AskButton } from "./ask-button.tsx";
import { enteredIn, fieldsOf, type FormField, valueOf } from "./form-fields.ts";

/** Answers an ask with a value that matches its schema. */
export const ValueForm = ({ ask, draft, enter, send }: AskParts) => {
  const [troubles, setTroubles] = useState<Readonly<Record<string, string>>>({});
  const fields = fieldsOf(ask.schema ?? (ask.kind === "result" ? {} : undefined), ask.value);
  const submit = () => {
    const filled = valueOf(fields, draft.fields);
    if ("troubles" in filled) setTroubles(filled.troubles);
    else send({ value: filled.value });
  };
  return (
    <>
      {fields.map((field) => (
        <FieldInput
          key={field.key}
          field={field}
          entered={enteredIn(field, draft.fields)}
          trouble={troubles[field.key]}
          onEnter={(entered) => {
            setTroubles({});
            enter({ [field.key]: entered });
          }}
          onSubmit={submit}
        />
      ))}
      <div className="flex flex-wrap gap-2">
        <AskButton main onPress={submit}>
          Answer
        </AskButton>
        <AskButton onPress={() => send({ value: null })}>Decline</AskButton>
      </div>
    </>
  );
};

interface FieldInputProps {
  readonly field: FormField;
  readonly entered: unknown;
  readonly trouble: string | undefined;
  readonly onEnter: (entered: unknown) => void;
  readonly onSubmit: () => void;
}

const FieldInput = (props: FieldInputProps) => {
  const { field, trouble } = props;
  const id = useId();
  const isGroup = field.kind === "options" || field.kind === "multi";
  const Wrap = isGroup ? "fieldset" : "div";
  const Caption = isGroup ? "legend" : "label";
  return (
    <Wrap className="flex min-w-0 flex-col gap-1" data-field={field.key}>
      <Caption
        {...(!isGroup && { htmlFor: id })}
        className={field.kind === "boolean" ? "sr-only" : "text-xs font-medium"}
      >
        {field.label}
        {field.required && <span className="text-soft"> (required)</span>}
      </Caption>
      {field.description && (
        <p id={`${id}-about`} className="text-xs text-soft">
          {field.description}
        </p>
      )}
      <Input {...props} id={id} />
      <p id={`${id}-trouble`} role="status" className="text-xs text-bad empty:hidden">
        {trouble}
      </p>
    </Wrap>
  );
};

const Input = ({ field, entered, trouble, onEnter, onSubmit, id }: FieldInputProps & { readonly id: string }) => {
  const about = {
    id,
    "aria-describedby": `${id}-trouble${field.description ? ` ${id}-about` : ""}`,
    "aria-invalid": trouble !== undefined,
  };
  const style = `w-full rounded-md border bg-page px-2.5 py-1.5 text-sm ${trouble === undefined ? "border-line" : "border-bad"}`;
  switch (field.kind) {
    case "boolean":
      return (
        <span className="inline-flex items-center gap-1.5">
          <input
            {...about}
            type="checkbox"
            checked={entered === true}
            onChange={(event) => onEnter(event.target.checked)}
          />
          <span aria-hidden="true">{field.label}</span>
        </span>
      );
    case "options":
    case "multi": {
      const picked = field.kind === "multi" ? (entered as readonly number[]) : [entered as number];
      const pick = (index: number, isOn: boolean) => {
        if (field.kind === "options") return onEnter(index);
        onEnter(isOn ? [...picked, index].sort((a, b) => a - b) : picked.filter((other) => other !== index));
      };
      return field.options.map((option, index) => (
        <label key={option.label} className="inline-flex cursor-pointer items-center gap-1.5">
          <input
            type={field.kind === "multi" ? "checkbox" : "radio"}
            name={id}
            checked={picked.includes(index)}
            onChange={(event) => pick(index, event.target.checked)}
          />
          {option.label}
        </label>
      ));
    }
    case "number":
      return (
        <input
          {...about}
          inputMode="decimal"
          value={String(entered)}
          onChange={(event) => onEnter(event.target.value)}
          onKeyDown={onEnterKey(onSubmit)}
          className={style}
        />
      );
    case "json":
      return (
        <textarea
          {...about}
          rows={4}
          spellCheck={false}
          value={String(entered)}
          onChange={(event) => onEnter(event.target.value)}
          className={`${style} font-mono text-xs`}
        />
      );
    default:
      return isLong(field) ? (
        <textarea
          {...about}
          rows={4}
          value={String(entered)}
          onChange={(event) => onEnter(event.target.value)}
          className={style}
        />
      ) : (
        <input
          {...about}
          value={String(entered)}
          onChange={(event) => onEnter(event.target.value)}
          onKeyDown={onEnterKey(onSubmit)}
          className={style}
        />
      );
  }
};

const isLong = ({ schema, initial }: FormField): boolean =>
  schema.format === "textarea" ||
  (typeof schema.maxLength === "number" && schema.maxLength > 200) ||
  (typeof initial === "string" && /\n|.{80}/.test(initial));

const onEnterKey = (submit: () => void) => (event: React.KeyboardEvent) => {
  if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
  event.preventDefault();
  submit();
};
