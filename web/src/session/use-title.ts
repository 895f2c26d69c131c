import { useEffect } from "react";
import { useCell } from "../kit/cell.ts";
import { usePage } from "./page-context.ts";

/** Names the page in its tab, after what waits for the reader there. */
export const useTitle = (title: string): void => {
  const mark = useCell(usePage().attention.mark);
  useEffect(() => {
    document.title = mark === "" ? title : `${mark} · ${title}`;
  }, [mark, title]);
};
