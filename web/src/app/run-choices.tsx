import type { NamedAgent } from "runcast/source";
import { useCell } from "../kit/cell.ts";
import { usePage } from "../session/page-context.ts";

/** The agent, model, and mode of the next run. Shows only those with more than one option. */
export const RunChoices = ({ agents }: { readonly agents: readonly NamedAgent[] }) => {
  const { settings } = usePage();
  const { agent, model, mode } = useCell(settings);
  const chosen = agents.find(({ name }) => name === agent) ?? agents[0];
  if (!chosen) return null;
  const models = [chosen.model, ...(chosen.models ?? [])].filter((name) => name !== undefined);
  return (
    <>
      {agents.length > 1 && (
        <Choice
          label="Agent"
          value={chosen.name}
          options={agents.map(({ name }) => ({ value: name, label: name }))}
          onChange={(name) => {
            const { model: _, mode: __, ...rest } = settings.get();
            settings.set({ ...rest, agent: name });
          }}
        />
      )}
      {models.length > 1 && (
        <Choice
          label="Model"
          value={model && models.includes(model) ? model : (chosen.model ?? models[0]!)}
          options={models.map((name) => ({ value: name, label: name }))}
          onChange={(name) => settings.change({ model: name })}
        />
      )}
      {chosen.modes && chosen.modes.length > 0 && (
        <Choice
          label="Mode"
          value={mode && chosen.modes.includes(mode) ? mode : ""}
          options={[
            { value: "", label: "no mode" },
            ...chosen.modes.map((name) => ({ value: name, label: `/${name}` })),
          ]}
          onChange={(name) => settings.change({ mode: name })}
        />
      )}
    </>
  );
};

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
}

const Choice = ({ label, value, options, onChange }: ChoiceProps) => (
  <select
    aria-label={label}
    title={label}
    value={value}
    onChange={({ target }) => onChange(target.value)}
    className="h-9 max-w-44 pointer-coarse:h-10 min-w-0 truncate [field-sizing:content] rounded-lg bg-transparent px-2 text-sm text-soft hover:bg-tint hover:text-ink"
  >
    {options.map((option) => (
      <option key={option.value} value={option.value} className="bg-card text-ink">
        {option.label}
      </option>
    ))}
  </select>
);
