import type { RefObject } from "react";
import type { RunRow } from "runcast/protocol";
import { counted } from "runcast/view";
import { Button } from "../kit/button.tsx";
import { useMedia } from "../kit/use-media.ts";
import { VirtualList } from "../kit/virtual-list.tsx";
import { LiveUntil } from "../run/run-context.ts";
import { usePage } from "../session/page-context.ts";
import type { Board, BoardState } from "./board.ts";
import { BoardRow } from "./board-row.tsx";
import { useHold } from "./use-hold.ts";

interface BoardListProps {
  readonly board: Board;
  readonly state: BoardState;
  readonly box: RefObject<HTMLDivElement | null>;
  readonly onAnswer: (row: RunRow) => void;
}

const LINE = 60;
const NARROW_LINE = 88;
/** The precision of "… ago". */
const AGO_MS = 10_000;

/** The rows. No row moves while the user points at the list or has scrolled, so a click cannot hit another run. */
export const BoardList = ({ board, state, box, onAnswer }: BoardListProps) => {
  const { rows, fresh, leaving, hasMore, isLoadingMore, may, liveUntil } = state;
  const { access } = usePage();
  const isNarrow = useMedia("(width < 48rem)");
  const hold = useHold(board, box);
  const now = Math.floor(access.now() / AGO_MS) * AGO_MS;
  const line = isNarrow ? NARROW_LINE : LINE;
  return (
    <div className="group/run relative flex min-h-0 grow flex-col" data-live={liveUntil === Infinity} {...hold}>
      <LiveUntil value={liveUntil}>
        <VirtualList
          label="Runs"
          items={rows}
          box={box}
          line={line}
          keyOf={({ run }) => run}
          onEnd={board.loadMore}
          onRange={board.setVisible}
          below={
            hasMore && (
              <div className="flex justify-center p-3">
                <Button onClick={board.loadMore} aria-disabled={isLoadingMore}>
                  {isLoadingMore ? "Loading older runs…" : "Show older runs"}
                </Button>
              </div>
            )
          }
        >
          {(row) => (
            <BoardRow
              row={row}
              isLeaving={leaving.has(row.run)}
              mayAnswer={may.answer}
              mayStop={may.cancel}
              isNarrow={isNarrow}
              now={now}
              onAnswer={onAnswer}
            />
          )}
        </VirtualList>
      </LiveUntil>
      {fresh > 0 && (
        <div className="pointer-events-none absolute inset-x-0 top-2 flex justify-center">
          <Button
            kind="main"
            className="pointer-events-auto shadow-lg"
            onClick={() => {
              board.release();
              box.current?.scrollTo({ top: 0 });
            }}
          >
            Show {counted(fresh, "new run")}
          </Button>
        </div>
      )}
    </div>
  );
};
