import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { BoardFilter } from "../session/route.ts";
import { usePage } from "../session/page-context.ts";
import { type Board, type BoardState, createBoard } from "./board.ts";

/** A board for this filter, updated while it is mounted. A new filter creates a new board. */
export const useBoard = (
  filter: BoardFilter,
): { readonly board: Board | undefined; readonly state: BoardState | undefined } => {
  const { access } = usePage();
  const [board, setBoard] = useState<Board>();
  const key = JSON.stringify(filter);
  const wanted = useMemo(() => JSON.parse(key) as BoardFilter, [key]);
  useEffect(() => {
    const made = createBoard(access, wanted);
    setBoard(made);
    return () => made.close();
  }, [access, wanted]);
  const state = useSyncExternalStore(board?.subscribe ?? noSubscription, () => board?.get());
  return { board, state };
};

const noSubscription = () => () => {};
