import { useEffect, useMemo, useState } from "react";
import type { RunState } from "runcast/state";
import { type ShownMessage, useConversations } from "../conversations/use-conversations.tsx";
import { isOnServer } from "../conversations/conversation.ts";

/**
 * The loaded runs of a conversation, in order. Keeps the same array while its content is unchanged. `liveUntil` is that
 * of the last run, the only one that can be active. Loads all runs, unless `loads` is false.
 */
export const useRunStates = (
  messages: readonly ShownMessage[],
  loads = true,
): { readonly states: readonly RunState[]; readonly liveUntil: number } => {
  const { runs } = useConversations();
  const answers = messages.flatMap(({ message }) => (message.role === "assistant" ? [message] : []));
  const key = answers.map(({ run }) => run).join(" ");
  const [loaded, setLoaded] = useState(0);
  useEffect(() => {
    const update = () => setLoaded((before) => before + 1);
    const stops = answers.flatMap((answer) => [
      runs.subscribe(answer.run, update),
      ...(loads ? [runs.open(answer.run, isOnServer(answer) ? {} : undefined)] : []),
    ]);
    update();
    return () => {
      for (const stop of stops) stop();
    };
    // The answers are new objects each time. Only their runs matter.
  }, [runs, key, loads]);
  const liveUntil = runs.get(answers.at(-1)?.run ?? "")?.liveUntil ?? 0;
  const states = useMemo(() => {
    const shown = key.split(" ").map((run) => (run ? runs.get(run) : undefined));
    return shown.flatMap((run) => (run?.isLoaded ? [run.state] : []));
  }, [runs, key, loaded]);
  return { states, liveUntil };
};
