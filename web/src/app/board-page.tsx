import { useCallback, useEffect, useRef, useState } from "react";
import type { RunRow } from "runcast/protocol";
import { describeRow, openRunsText } from "runcast/view";
import { AnswerDialog } from "../board/answer-dialog.tsx";
import { BoardFilterBar } from "../board/board-filter.tsx";
import { BoardList } from "../board/board-list.tsx";
import type { BoardState } from "../board/board.ts";
import { moveRow } from "../board/move-row.ts";
import { useBoard } from "../board/use-board.ts";
import { Button } from "../kit/button.tsx";
import { ProblemNote } from "../kit/problem-note.tsx";
import { usePage } from "../session/page-context.ts";
import type { BoardFilter } from "../session/route.ts";
import { useTitle } from "../session/use-title.ts";
import { type KeyCommand, useKeys } from "./keys.ts";
import { wantsKey } from "./refusal.ts";
import { PageDialogs } from "./page-dialogs.tsx";
import { TopBar } from "./top-bar.tsx";
import { useAgents } from "./use-agents.ts";

interface BoardPageProps {
  readonly filter: BoardFilter;
  readonly onLocked: () => void;
}

/** All runs of the server that the user may see, from any client. */
export const BoardPage = ({ filter, onLocked }: BoardPageProps) => {
  const { route, dialog } = usePage();
  const { board, state } = useBoard(filter);
  const { agents = [] } = useAgents(onLocked);
  const [answered, setAnswered] = useState<RunRow>();
  const box = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const change = useCallback((next: BoardFilter) => route.replace({ board: next }), [route]);
  const close = useCallback(() => setAnswered(undefined), []);
  const isLocked = state?.problem !== undefined && wantsKey(state.problem);
  useEffect(() => {
    if (isLocked) onLocked();
  }, [isLocked, onLocked]);
  const commands: readonly KeyCommand[] = [
    { key: "j", does: "Go to the next run", run: () => moveRow(box.current, 1) },
    { key: "k", does: "Go to the previous run", run: () => moveRow(box.current, -1) },
    { key: "/", does: "Search runs", run: () => search.current?.focus() },
    { key: "n", does: "New conversation", run: () => route.go({}) },
    { key: "?", does: "Show keyboard shortcuts", run: () => dialog.set("keys") },
  ];
  useKeys(commands);
  useTitle("Runs · Runcast");
  return (
    <div className="flex h-dvh flex-col">
      <TopBar title="Runs" state={state && <OpenRuns state={state} />}>
        <Button kind="quiet" onClick={() => route.go({})}>
          New conversation
        </Button>
      </TopBar>
      <main className="mx-auto flex min-h-0 w-full max-w-5xl grow flex-col gap-3 pt-3">
        <div className="flex flex-col gap-3 px-4">
          <BoardFilterBar
            filter={filter}
            onFilter={change}
            agents={agents}
            hasOthers={state?.may.everyone ?? false}
            search={search}
          />
          {state?.problem && !isLocked && (
            <ProblemNote problem={state.problem}>
              {!state.isRefused && <Button onClick={board?.poll}>Try again</Button>}
            </ProblemNote>
          )}
        </div>
        {state?.isLoaded && state.rows.length === 0 && !state.hasMore && state.fresh === 0 && (
          <Empty isFiltered={Object.values(filter).some(Boolean)} onAll={() => change({})} />
        )}
        {board && state && <BoardList board={board} state={state} box={box} onAnswer={setAnswered} />}
      </main>
      {answered && <AnswerDialog run={answered.run} title={describeRow(answered).title} onClose={close} />}
      <PageDialogs commands={commands} />
    </div>
  );
};

const OpenRuns = ({ state: { open, problem } }: { readonly state: BoardState }) => (
  <p role="status" className="truncate text-xs text-soft">
    {problem ? "Not up to date" : open ? openRunsText(open) : "Loading…"}
  </p>
);

const Empty = ({ isFiltered, onAll }: { readonly isFiltered: boolean; readonly onAll: () => void }) => {
  const { route } = usePage();
  return (
    <div className="flex flex-col items-start gap-3 px-4 py-10 text-sm">
      <p role="status" className="text-soft">
        {isFiltered
          ? "No matching runs."
          : "No runs yet. A run appears here as soon as it starts, whether on this page, in Open WebUI or through the API."}
      </p>
      {isFiltered ? (
        <Button onClick={onAll}>Show all runs</Button>
      ) : (
        <Button onClick={() => route.go({})}>Start a conversation</Button>
      )}
    </div>
  );
};
