import { useCallback, useEffect, useMemo, useReducer, useState } from "react";
import type { Problem } from "runcast/events";
import { useRun } from "runcast/react";
import { runTitle } from "runcast/view";
import type { ShownRun } from "../conversations/runs.ts";
import { RunView } from "../run/run-view.tsx";
import { RunTools } from "../share/run-tools.tsx";
import { Button } from "../kit/button.tsx";
import { AskJump, askCommand } from "./ask-jump.tsx";
import { ConnectionState } from "./connection-state.tsx";
import { FailureJump, failureCommand } from "./failure-jump.tsx";
import { type KeyCommand, moveStep, useKeys } from "./keys.ts";
import { useCell } from "../kit/cell.ts";
import { WindowingContext } from "../kit/windowing.ts";
import { usePage } from "../session/page-context.ts";
import { useTitle } from "../session/use-title.ts";
import { ProblemNote } from "../kit/problem-note.tsx";
import { NextFailure } from "./next-failure.tsx";
import { mayHelp, wantsKey } from "./refusal.ts";
import { PageDialogs } from "./page-dialogs.tsx";
import { TopBar } from "./top-bar.tsx";
import { choosePanel } from "./panel-choice.ts";
import { PanelDrawer } from "./panel-drawer.tsx";
import { useIsWide } from "../kit/drawer.tsx";
import { PANELS } from "../panel/panels.tsx";
import { LiveUntil } from "../run/run-context.ts";
import type { Jump } from "../run/jump.ts";
import { useFollowedRun } from "../session/use-followed-run.ts";
import { useRunScreen } from "./use-run-screen.ts";
import { useRunEnd } from "./use-run-end.ts";
import { useStop } from "./use-stop.ts";
import { useReadPart } from "./use-read-part.ts";
import { MessageBubble } from "../run/message-bubble.tsx";

const RUN_PANELS = PANELS.filter(({ isForOneRun }) => isForOneRun);

interface RunPageProps {
  readonly run: string;
  readonly onLocked: () => void;
}

/** Any single run, with controls, or read-only with a token. Nothing is stored. */
export const RunPage = ({ run, onLocked }: RunPageProps) => {
  const { access } = usePage();
  // The page's title shows that the agent asks or has finished.
  const shown = useFollowedRun(access, run, { peeks: true });
  return shown ? <OpenRun shown={shown} onLocked={onLocked} /> : null;
};

interface OpenRunProps extends Pick<RunPageProps, "onLocked"> {
  readonly shown: ShownRun;
}

const OpenRun = ({ shown: { run, state, connection, liveUntil }, onLocked }: OpenRunProps) => {
  const { access, route, dialog } = usePage();
  const { mayAnswer, actions, scroller, content, isAtEnd, windowing } = useRunScreen(access, run);
  const isOver = useRunEnd(state) !== "open";
  const mayAct = access.token === undefined;
  const refused = !isOver && connection?.status === "failed" ? connection.problem : undefined;
  // No entry has arrived and none will, so there is nothing to show, replay, or share.
  const isMissing = refused !== undefined && state.seq === 0;
  const isLocked = mayAct && refused !== undefined && wantsKey(refused);
  useEffect(() => {
    if (isLocked) onLocked();
  }, [isLocked, onLocked]);
  const isKnown = connection?.status === "live" || connection?.status === "reconnecting";
  const isBusy = mayAct && !isOver && isKnown;
  const [problem, setProblem] = useState<Problem>();
  const { isStopping, stop } = useStop(run, setProblem);
  const [panel, setPanel] = useState<string>();
  const panels = choosePanel(RUN_PANELS, panel, setPanel);
  const [jump, setJump] = useState<Jump>();
  const jumpTo = useCallback((node: string) => setJump({ node }), []);
  const [presses, findFailure] = useReducer((before: number) => before + 1, 0);
  const staysAtEnd = useCell(isAtEnd);
  const isCovered = !useIsWide() && panels.open !== undefined;
  const uncoverAndJump = (node: string): void => {
    panels.uncover();
    jumpTo(node);
  };
  const runs = useMemo(() => [state], [state]);
  const commands: readonly KeyCommand[] = [
    ...(mayAct ? [{ key: "Escape", does: "Stop the run", always: true, run: () => (isBusy ? stop() : false) }] : []),
    { key: "j", does: "Go to the next step", run: () => moveStep(scroller.current, 1) },
    { key: "k", does: "Go to the previous step", run: () => moveStep(scroller.current, -1) },
    ...(mayAnswer ? [askCommand(state, { scroller, onJump: jumpTo })] : []),
    failureCommand(findFailure),
    ...panels.commands,
    ...(mayAct ? [{ key: "r", does: "All runs", run: () => route.go({ board: {} }) }] : []),
    { key: "?", does: "Show keyboard shortcuts", run: () => dialog.set("keys") },
  ];
  useKeys(commands);
  const { message } = useRun(state);
  const read = useReadPart(run);
  const title = runTitle(state, 200, run);
  useTitle(`${title.slice(0, 60)} · Runcast`);
  return (
    <div className="flex h-dvh overflow-hidden">
      <div className="flex min-w-0 grow flex-col" inert={isCovered}>
        <TopBar
          title={title}
          state={<ConnectionState connection={connection} state={state} isOver={isOver} />}
          panels={panels}
        >
          {!isMissing && <RunTools run={run} />}
          {isBusy && (
            <Button onClick={stop} aria-disabled={isStopping}>
              {isStopping ? "Stopping…" : "Stop"}
            </Button>
          )}
          {mayAct && (
            <Button kind="quiet" className="max-md:hidden" onClick={() => route.go({})}>
              New conversation
            </Button>
          )}
        </TopBar>
        <div className="relative min-h-0 grow">
          <main ref={scroller} className="relative h-full overflow-y-auto" aria-label="Run" tabIndex={0}>
            {!mayAct && !isMissing && (
              <p className="sticky top-0 z-10 border-b border-line bg-warm px-4 py-1.5 text-center text-xs">
                {mayAnswer
                  ? "With this link, you can watch this run and answer its questions."
                  : "This link is read-only."}
              </p>
            )}
            <div ref={content} className="mx-auto flex max-w-3xl flex-col gap-6 px-4 py-6">
              {message && (
                <div className="flex justify-end" data-message="asked">
                  <MessageBubble content={message.content} read={read} />
                </div>
              )}
              {!isMissing && (
                <WindowingContext value={windowing}>
                  <RunView state={state} actions={actions} liveUntil={liveUntil} jump={jump} />
                </WindowingContext>
              )}
              {problem && !isOver && (
                <ProblemNote problem={problem}>
                  <Button onClick={() => setProblem(undefined)}>Close</Button>
                </ProblemNote>
              )}
              {refused && (
                <ProblemNote problem={{ ...refused, ...hintOf(refused) }}>
                  {isMissing && mayAct && <Button onClick={() => route.go({})}>Start a new conversation</Button>}
                  {mayHelp(refused) && <Button onClick={() => location.reload()}>Try again</Button>}
                </ProblemNote>
              )}
            </div>
          </main>
          <div className="pointer-events-none absolute inset-x-0 bottom-3 flex flex-wrap justify-center gap-2 px-2 *:pointer-events-auto">
            {mayAnswer && <AskJump state={state} scroller={scroller} onJump={jumpTo} />}
            <FailureJump presses={presses} isAtEnd={staysAtEnd}>
              {(wanted) => (
                <NextFailure
                  runs={runs}
                  isReady
                  wanted={wanted}
                  scroller={scroller}
                  homeOf={() => scroller.current}
                  onFind={staysAtEnd ? undefined : findFailure}
                  onJump={(_, node) => uncoverAndJump(node)}
                />
              )}
            </FailureJump>
          </div>
        </div>
      </div>
      <PanelDrawer panels={panels}>
        {(View) => (
          <LiveUntil value={liveUntil}>
            <View runs={runs} onJump={(_, node) => uncoverAndJump(node)} />
          </LiveUntil>
        )}
      </PanelDrawer>
      <PageDialogs commands={commands} />
    </div>
  );
};

/** Replaces the server's hints, which are meant for programs, for users who opened a link. */
const hintOf = ({ code }: Problem): Pick<Problem, "hint"> =>
  code === "unknown-run" || code === "run-dropped"
    ? { hint: "the link may be incomplete, or the run may have been deleted; ask for a new link" }
    : {};
