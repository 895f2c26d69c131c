import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { useRun } from "runcast/react";
import { createRuns, type ShownRun } from "../conversations/runs.ts";
import { RunView } from "../run/run-view.tsx";
import { RunTools } from "../share/run-tools.tsx";
import { Button } from "./button.tsx";
import { useCell } from "./cell.ts";
import { ConnectionState } from "./connection-state.tsx";
import { type Command, moveStep, useKeys } from "./keys.ts";
import { KeysDialog } from "./keys-dialog.tsx";
import { NearnessContext, useNearness } from "./near.ts";
import { usePage } from "./page-context.ts";
import { ProblemNote } from "./problem-note.tsx";
import { createActionsOf } from "./run-actions.ts";
import { SettingsDialog } from "./settings-dialog.tsx";
import { useStickToEnd } from "./stick-to-end.ts";
import { TopBar } from "./top-bar.tsx";
import { useOutcome } from "./use-outcome.ts";
import { Words } from "./user-message.tsx";

/** One run, wherever it was started: to watch and to steer, or with a token only to watch. Nothing of it is kept. */
export const RunPage = ({ run }: { readonly run: string }) => {
  const { access } = usePage();
  const runs = useMemo(
    () => createRuns({ client: access.client, entries: async () => [], onEntry: () => {}, onEnd: () => {} }),
    [access],
  );
  useEffect(() => {
    const look = () => runs.setHidden(document.hidden);
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [runs]);
  useEffect(() => runs.open(run, {}), [runs, run]);
  const shown = useSyncExternalStore(
    (listener) => runs.subscribe(run, listener),
    () => runs.get(run),
  );
  return shown ? <OpenRun shown={shown} /> : null;
};

const OpenRun = ({ shown: { run, state, connection, liveUntil } }: { readonly shown: ShownRun }) => {
  const { access, route, dialog } = usePage();
  const open = useCell(dialog);
  const actions = useMemo(() => createActionsOf({ access })(run), [access, run]);
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  useStickToEnd(scroller, content);
  const nearness = useNearness(scroller);
  const outcome = useOutcome(state);
  const mayAct = access.token === undefined;
  const isBusy = mayAct && outcome === undefined && connection?.status === "live";
  const stop = () => void actions.cancel?.({}).catch(() => {});
  const commands: readonly Command[] = [
    ...(mayAct ? [{ key: "Escape", does: "Stop the run", always: true, run: () => (isBusy ? stop() : false) }] : []),
    { key: "j", does: "To the next step", run: () => moveStep(scroller.current, 1) },
    { key: "k", does: "To the step before", run: () => moveStep(scroller.current, -1) },
    { key: "?", does: "Show these keys", run: () => dialog.set("keys") },
  ];
  useKeys(commands);
  const { message, root } = useRun(state);
  const title =
    message?.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ") || root.name || run;
  useEffect(() => {
    document.title = `${title.slice(0, 60)} · Runcast`;
  }, [title]);
  return (
    <div className="flex h-dvh flex-col">
      <TopBar
        title={title}
        state={<ConnectionState connection={outcome === undefined ? connection : { status: "finished" }} />}
      >
        <RunTools run={run} />
        {isBusy && <Button onClick={stop}>Stop</Button>}
        {mayAct && (
          <Button kind="quiet" className="max-md:hidden" onClick={() => route.go({})}>
            New conversation
          </Button>
        )}
      </TopBar>
      <main ref={scroller} className="min-h-0 grow overflow-y-auto" aria-label="Run" tabIndex={0}>
        {!mayAct && (
          <p className="sticky top-0 z-10 border-b border-line bg-warm px-4 py-1.5 text-center text-xs">
            You are watching: this link allows nothing else.
          </p>
        )}
        <div ref={content} className="mx-auto flex max-w-3xl flex-col gap-6 px-4 py-6">
          {message && (
            <div className="flex justify-end" data-message="asked">
              <Words content={message.content} />
            </div>
          )}
          <NearnessContext value={nearness}>
            <RunView state={state} actions={actions} liveUntil={liveUntil} />
          </NearnessContext>
          {connection?.status === "failed" && (
            <ProblemNote problem={connection.problem}>
              <Button onClick={() => location.reload()}>Try again</Button>
            </ProblemNote>
          )}
        </div>
      </main>
      {open === "settings" && <SettingsDialog onClose={() => dialog.set(undefined)} />}
      {open === "keys" && <KeysDialog commands={commands} onClose={() => dialog.set(undefined)} />}
    </div>
  );
};
