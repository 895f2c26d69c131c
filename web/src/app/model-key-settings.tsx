import { useState } from "react";
import type { NamedAgent } from "runcast/source";
import { Button } from "../kit/button.tsx";
import { useCell } from "../kit/cell.ts";
import { agentsWithout } from "../session/model-keys.ts";
import { usePage } from "../session/page-context.ts";
import { listText, ModelKeyForm } from "./model-key-form.tsx";
import { useAgents } from "./use-agents.ts";

const ignore = (): void => {};

/** The variables of the keys that agents lack or that this tab has, and the agents. */
export const useModelKeyVariables = () => {
  const { agents = [] } = useAgents(ignore);
  const kept = useCell(usePage().modelKeys);
  const missing = agents.flatMap(({ missingKeys = [] }) => missingKeys);
  return { agents, variables: [...new Set([...missing, ...kept].map(({ variable }) => variable))] };
};

interface ModelKeySettingsProps {
  readonly agents: readonly NamedAgent[];
  readonly variables: readonly string[];
}

/** The keys of models: enter what is missing, remove what this tab has. */
export const ModelKeySettings = ({ agents, variables }: ModelKeySettingsProps) => {
  const { modelKeys } = usePage();
  const kept = useCell(modelKeys);
  const [entered, setEntered] = useState("");
  return (
    <ul className="flex flex-col gap-2">
      {variables.map((variable) => {
        const users = kept.flatMap((one) => (one.variable === variable ? [one.agent] : []));
        const agentsWithoutKey = agentsWithout(agents, variable);
        return (
          <li key={variable}>
            {users.length === 0 ? (
              <ModelKeyForm
                title={`${variable} for ${listText(modelsWithout(agents, variable))}`}
                variable={variable}
                agents={agentsWithoutKey}
                onKept={() => setEntered(variable)}
              />
            ) : (
              <div className="flex items-center gap-2 rounded-xl border border-line px-3 py-2">
                <p className="min-w-0 grow text-sm">
                  <span className="block font-medium [overflow-wrap:anywhere]">{variable}</span>
                  <span className="block text-xs text-soft">In this tab, for {listText(users)}</span>
                </p>
                <Button
                  aria-label={`Remove ${variable}`}
                  autoFocus={entered === variable}
                  onClick={() => modelKeys.forget(variable)}
                >
                  Remove
                </Button>
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
};

const modelsWithout = (agents: readonly NamedAgent[], wanted: string): readonly string[] => [
  ...new Set(
    agents.flatMap(({ missingKeys = [] }) =>
      missingKeys.flatMap(({ variable, model }) => (variable === wanted ? [model] : [])),
    ),
  ),
];
