import { useState } from "react";
import type { Problem } from "runcast/events";
import { troubleText } from "../run/trouble-text.ts";
import { problemOf } from "../session/access.ts";
import { usePage } from "../session/page-context.ts";

export interface Stopping {
  /** From the click until the run has ended or the stop failed. */
  readonly isStopping: boolean;
  readonly stop: () => void;
}

/** Stops a run, and reports so immediately. */
export const useStop = (run: string | undefined, onProblem: (problem: Problem | undefined) => void): Stopping => {
  const { access, announcer } = usePage();
  const [asked, setAsked] = useState<string>();
  const isStopping = run !== undefined && asked === run;
  const stop = async (): Promise<void> => {
    if (run === undefined || isStopping) return;
    onProblem(undefined);
    setAsked(run);
    announcer.say("Stopping the run.");
    try {
      await access.client.cancel(run);
    } catch (error) {
      setAsked(undefined);
      const hint =
        problemOf(error).hint ?? "the run continues without this page; press Stop again when the connection is back";
      onProblem({ code: "not-stopped", message: `could not stop the run: ${troubleText(error)}`, hint });
    }
  };
  return { isStopping, stop: () => void stop() };
};
