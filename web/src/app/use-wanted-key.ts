import type { NamedAgent } from "runcast/source";
import { describeRun, refusedKey } from "runcast/view";
import type { AssistantMessage } from "../conversations/conversation.ts";
import type { ShownRun } from "../conversations/runs.ts";
import { useCell } from "../kit/cell.ts";
import { agentsWithout, neededKeys } from "../session/model-keys.ts";
import { usePage } from "../session/page-context.ts";
import type { Chat } from "./use-chat.ts";

/** The key of a model that the user should enter. */
export interface WantedKey {
  readonly variable: string;
  /** The agents whose runs it is sent with. */
  readonly agents: readonly string[];
  /** The provider rejected the key that was used. */
  readonly isRejected: boolean;
  readonly subagent?: string;
  /** The answer that failed without it. */
  readonly failed?: AssistantMessage;
}

/** The key that the last run failed without, or that the next one needs. Undefined if there is none. */
export const useWantedKey = (
  agents: readonly NamedAgent[] | undefined,
  { opened: { live }, isBusy }: Pick<Chat, "opened" | "isBusy">,
): WantedKey | undefined => {
  const { settings, modelKeys } = usePage();
  const { agent: name, model } = useCell(settings);
  const kept = useCell(modelKeys);
  const [first] = agents ?? [];
  if (!agents || !first) return undefined;
  const refused = !isBusy && live?.shown ? refusedIn(live.shown) : undefined;
  if (refused && live) {
    const asked = live.message.settings.agent ?? first.name;
    const isKept = kept.some((one) => one.agent === asked && one.variable === refused.variable);
    const others = agentsWithout(agents, refused.variable);
    // A missing key that was entered elsewhere is no longer missing.
    if (refused.isRejected || !isKept)
      return { ...refused, agents: [...new Set([asked, ...others])], failed: live.message };
  }
  const [needed] = neededKeys(agents.find((one) => one.name === name) ?? first, model, kept);
  return needed && { ...needed, agents: agentsWithout(agents, needed.variable), isRejected: false };
};

const refusedIn = ({ connection, state }: ShownRun) =>
  connection?.status === "failed" ? refusedKey(connection.problem) : describeRun(state).refusedKey;
