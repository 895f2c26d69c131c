import { useState } from "react";
import type { Problem } from "runcast/events";
import type { NamedAgent } from "runcast/source";
import { describeStart, type StartFact, visibleText } from "runcast/view";
import { useConversations } from "../conversations/use-conversations.tsx";
import { Button } from "../kit/button.tsx";
import { useCell } from "../kit/cell.ts";
import { usePage } from "../session/page-context.ts";
import { ProblemNote } from "../kit/problem-note.tsx";

export interface StartScreenProps {
  readonly agents: readonly NamedAgent[] | undefined;
  readonly problem: Problem | undefined;
  readonly onReload: () => void;
  readonly onPick: (message: string) => void;
}

/** Shown before the first message of a conversation: what the agent can do, and messages to try. */
export const StartScreen = ({ agents, problem, onReload, onPick }: StartScreenProps) => {
  const { agent } = useCell(usePage().settings);
  const { list, isLoaded } = useConversations();
  const chosen = agents?.find(({ name }) => name === agent) ?? agents?.[0];
  if (!isLoaded || (!chosen && !problem)) return null;
  return (
    // The distance from the top is fixed, so nothing moves when another agent is chosen or a list is opened.
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-6 px-4 py-10 before:h-[8dvh] max-sm:gap-4 max-sm:py-6 max-sm:before:hidden">
      {problem && (
        <ProblemNote problem={problem}>
          <Button onClick={onReload}>Try again</Button>
        </ProblemNote>
      )}
      {chosen && <Abilities key={chosen.name} agent={chosen} onPick={onPick} />}
      {chosen && list.length === 0 && (
        <p className="max-w-prose text-sm text-soft text-pretty">
          You see every thought, tool call and sub-agent as it happens. Stop any of them, answer their questions, and
          reload this page at any time. Nothing is lost.
        </p>
      )}
    </div>
  );
};

interface AbilitiesProps {
  readonly agent: NamedAgent;
  readonly onPick: (message: string) => void;
}

const Abilities = ({ agent, onPick }: AbilitiesProps) => {
  const { name, description, facts, suggestions } = describeStart(agent);
  return (
    <>
      <header>
        <h2 className="text-2xl font-semibold tracking-tight text-balance">{name}</h2>
        {description && <p className="mt-2 max-w-prose text-soft text-pretty">{description}</p>}
      </header>
      {facts.length > 0 && (
        <dl data-abilities className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2 text-sm">
          {facts.map((fact) => (
            <Fact key={fact.label} fact={fact} />
          ))}
        </dl>
      )}
      {suggestions.length > 0 && (
        <section aria-labelledby="suggestions">
          <h3 id="suggestions" className="mb-2 text-sm font-medium">
            Try one of these
          </h3>
          <ul className="grid gap-2 sm:grid-cols-2">
            {suggestions.map((message) => (
              <li key={message}>
                <button
                  type="button"
                  onClick={() => onPick(message)}
                  className="h-full w-full rounded-xl border border-line bg-card px-4 py-2.5 text-left text-sm hover:border-accent"
                >
                  {visibleText(message)}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
};

/** Names side by side, or all of them with their descriptions, one below the other. */
const Fact = ({ fact: { label, items, shown, more, less } }: { readonly fact: StartFact }) => {
  const [isOpen, setOpen] = useState(false);
  const isList = isOpen && items.some(({ about }) => about !== "");
  const toggle = more !== "" && (
    <li key="">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="cursor-pointer text-xs text-accent underline pointer-coarse:-my-1.5 pointer-coarse:min-h-9"
      >
        {isOpen ? less : more}
      </button>
    </li>
  );
  return (
    <>
      <dt className="py-0.5 text-soft">{label}</dt>
      <dd>
        <ul className={isList ? "flex flex-col gap-2" : "flex flex-wrap items-center gap-1.5"}>
          {/* Above a long list, so it stays in view. */}
          {isOpen && toggle}
          {(isOpen ? items : items.slice(0, shown)).map(({ name, about }) => (
            <li
              key={name}
              title={isList ? undefined : about || undefined}
              className={isList ? "grid items-start gap-x-3 sm:grid-cols-[12rem_minmax(0,1fr)]" : "max-w-full min-w-0"}
            >
              <span
                className={`inline-block max-w-full justify-self-start rounded-md bg-tint px-2 py-0.5 align-top font-mono text-xs leading-5 ${isOpen ? "[overflow-wrap:anywhere]" : "truncate"}`}
              >
                {name}
              </span>
              {isList && about && <span className="py-0.5 text-soft">{about}</span>}
            </li>
          ))}
          {!isOpen && toggle}
        </ul>
      </dd>
    </>
  );
};
