import type { ReactNode } from "react";
import type { Problem } from "runcast/events";
import type { NamedAgent } from "runcast/source";
import { useConversations } from "../conversations/use-conversations.tsx";
import { Button } from "../kit/button.tsx";
import { useCell } from "../kit/cell.ts";
import { usePage } from "../session/page-context.ts";
import { ProblemNote } from "../kit/problem-note.tsx";

export interface StartScreenProps {
  readonly agents: readonly NamedAgent[] | undefined;
  readonly problem: Problem | undefined;
  readonly onAgain: () => void;
  readonly onPick: (message: string) => void;
}

const SHOWN = 8;

/** Shown before the first message of a conversation. Explains the page until there is a conversation in the list. */
export const StartScreen = ({ agents, problem, onAgain, onPick }: StartScreenProps) => {
  const { agent } = useCell(usePage().settings);
  const { list, isLoaded } = useConversations();
  const isFirst = list.length === 0;
  const chosen = agents?.find(({ name }) => name === agent) ?? agents?.[0];
  const suggestions = chosen?.suggestions?.slice(0, SHOWN) ?? [];
  if (!isLoaded) return null;
  return (
    <div className="mx-auto flex min-h-full w-full max-w-3xl flex-col justify-center gap-6 px-4 py-10 max-sm:gap-4 max-sm:py-6">
      {isFirst ? (
        <Welcome />
      ) : (
        chosen && (
          <header>
            <h2 className="text-2xl font-semibold tracking-tight text-balance">{chosen.name}</h2>
            {chosen.description && <p className="mt-2 max-w-prose text-soft">{chosen.description}</p>}
          </header>
        )
      )}
      {problem && (
        <ProblemNote problem={problem}>
          <Button onClick={onAgain}>Try again</Button>
        </ProblemNote>
      )}
      {suggestions.length > 0 && (
        <section aria-labelledby="suggestions">
          <h3 id="suggestions" className={`text-sm font-medium ${isFirst ? "" : "mb-2"}`}>
            Try one of these
          </h3>
          {isFirst && (
            <p className="mb-2 text-sm text-soft">
              {chosen?.name}
              {chosen?.description && `: ${small(chosen.description)}.`}
            </p>
          )}
          <ul className="grid gap-2 sm:grid-cols-2">
            {suggestions.map((message) => (
              <li key={message}>
                <button
                  type="button"
                  onClick={() => onPick(message)}
                  className="h-full w-full rounded-xl border border-line bg-card px-4 py-2.5 text-left text-sm hover:border-accent"
                >
                  {message}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {isFirst && <Facts />}
    </div>
  );
};

const Welcome = () => (
  <header>
    <h2 className="text-2xl font-semibold tracking-tight text-balance">Watch your agent work, live</h2>
    <p className="mt-2 max-w-prose text-soft max-sm:text-sm">
      Every thought, tool call and sub-agent appears as it happens. Stop any of them, answer their questions, and reload
      this page at any time. Nothing is lost.
    </p>
  </header>
);

const Facts = () => {
  const { dialog } = usePage();
  return (
    <dl className="grid gap-x-6 gap-y-3 text-sm text-soft sm:grid-cols-3">
      <Fact name="Your own agent">
        Define it in <code className="text-ink">runcast.config.ts</code> and restart the server.
      </Fact>
      <Fact name="More tools">
        Give your agent <code className="text-ink">mcp()</code>, and add MCP servers in the{" "}
        <button type="button" className="text-accent underline" onClick={() => dialog.set("settings")}>
          settings
        </button>
        .
      </Fact>
      <Fact name="Keyboard" className="pointer-coarse:hidden">
        Press <Key>?</Key> to see all shortcuts.
      </Fact>
    </dl>
  );
};

interface FactProps {
  readonly name: string;
  readonly className?: string;
  readonly children: ReactNode;
}

const Fact = ({ name, className, children }: FactProps) => (
  <div className={className}>
    <dt className="font-medium text-ink">{name}</dt>
    <dd>{children}</dd>
  </div>
);

export const Key = ({ children }: { readonly children: ReactNode }) => (
  <kbd className="rounded-sm border border-line bg-card px-1.5 py-0.5 font-mono text-xs text-ink">{children}</kbd>
);

const small = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, "");
