import { useEffect, useMemo, useState } from "react";
import type { RunState } from "runcast/state";
import { describeRun } from "runcast/view";
import { type ShownMessage, useConversations } from "../conversations/use-conversations.tsx";
import { isOnServer } from "../conversations/conversation.ts";
import type { ShownRun } from "../conversations/runs.ts";

/**
 * The loaded runs of a conversation, in order. Keeps the same array while its content is unchanged. `liveUntil` is that
 * of the last run, the only one that can be active. Loads all runs, unless `loads` is false. `areComplete` says whether
 * nothing more of them will be loaded.
 */
export const useRunStates = (
  messages: readonly ShownMessage[],
  loads = true,
): { readonly states: readonly RunState[]; readonly liveUntil: number; readonly areComplete: boolean } => {
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
  const areComplete = answers.every((answer, index) => {
    const shown = runs.get(answer.run);
    return shown?.isLoaded === true && (!isOnServer(answer) || index === answers.length - 1 || !isArriving(shown));
  });
  return { states, liveUntil, areComplete };
};

/** Whether the entries of a run that is over are still on their way from the server. */
const isArriving = ({ state, connection }: ShownRun): boolean =>
  !describeRun(state).isOver && (!connection || connection.status === "connecting" || connection.status === "live");
