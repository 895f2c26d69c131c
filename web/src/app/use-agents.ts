import { ClientError } from "runcast/client";
import type { Problem } from "runcast/events";
import { useEffect, useState } from "react";
import type { NamedAgent } from "runcast/source";
import { problemOf } from "../session/access.ts";
import { usePage } from "../session/page-context.ts";

export interface KnownAgents {
  readonly agents: readonly NamedAgent[] | undefined;
  readonly problem: Problem | undefined;
  reload(): void;
}

/** The server's agents. `onLocked` is called if the server requires a key, or another one. */
export const useAgents = (onLocked: () => void): KnownAgents => {
  const { access } = usePage();
  const [known, setKnown] = useState<Pick<KnownAgents, "agents" | "problem">>({
    agents: undefined,
    problem: undefined,
  });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    access.agents(stop.signal).then(
      (agents) => setKnown({ agents, problem: undefined }),
      (error: unknown) => {
        if (stop.signal.aborted) return;
        if (error instanceof ClientError && error.status === 401) return onLocked();
        setKnown(({ agents }) => ({ agents, problem: problemOf(error) }));
      },
    );
    return () => stop.abort();
  }, [access, attempt, onLocked]);
  return { ...known, reload: () => setAttempt((before) => before + 1) };
};

/** The media types that the chosen agent's default model accepts. Undefined if unknown. */
export const acceptsOf = (
  agents: readonly NamedAgent[] | undefined,
  { agent, model }: { readonly agent?: string; readonly model?: string },
): readonly string[] | undefined => {
  const chosen = agents?.find(({ name }) => name === agent) ?? agents?.[0];
  return model === undefined || model === chosen?.model ? chosen?.accepts : undefined;
};
