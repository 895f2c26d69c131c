import { type FormEvent, useId, useState } from "react";
import { Button } from "../kit/button.tsx";
import { usePage } from "../session/page-context.ts";

const LIST = new Intl.ListFormat("en");
/** `one, two, and three`. */
export const listText = (names: readonly string[]): string => LIST.format(names);

export interface ModelKeyFormProps {
  /** Why the key is needed. */
  readonly title: string;
  readonly variable: string;
  readonly agents: readonly string[];
  readonly action?: string;
  readonly onKept: () => void;
}

/** Asks for the key of a model, and keeps it for this tab. */
export const ModelKeyForm = ({ title, variable, agents, action = "Use key", onKept }: ModelKeyFormProps) => {
  const { modelKeys, announcer } = usePage();
  const [mistake, setMistake] = useState("");
  const id = useId();
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const key = String(new FormData(event.currentTarget).get("key") ?? "").trim();
    if (!key) return setMistake("Enter the key.");
    // It is sent as a header.
    if (!/^[!-~]+$/.test(key)) return setMistake("A key cannot contain spaces, accents or line breaks.");
    modelKeys.keep(agents, variable, key);
    announcer.say("The key is kept in this tab.");
    onKept();
  };
  return (
    <form
      onSubmit={onSubmit}
      noValidate
      aria-labelledby={`${id}-title`}
      className="rounded-xl border border-pending bg-warm px-3 py-3 text-sm"
    >
      <p id={`${id}-title`} className="font-medium [overflow-wrap:anywhere]">
        {title}
      </p>
      <p id={`${id}-about`} className="mt-0.5 text-soft">
        The key stays in this tab and is sent only with runs of {listText(agents)}.
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <input
          name="key"
          type="password"
          autoComplete="off"
          placeholder="Paste the key"
          aria-label={variable}
          aria-describedby={`${id}-about ${id}-mistake`}
          aria-invalid={mistake !== ""}
          className="h-9 min-w-48 grow rounded-lg border border-line bg-card px-2.5 text-ink placeholder:text-soft"
        />
        <Button kind="main" type="submit">
          {action}
        </Button>
      </div>
      <p id={`${id}-mistake`} role="alert" className="mt-1 text-xs text-bad empty:hidden">
        {mistake}
      </p>
    </form>
  );
};
