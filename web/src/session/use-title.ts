import { useEffect } from "react";
import { useCell } from "../kit/cell.ts";
import { usePage } from "./page-context.ts";

/** Sets the tab's title, preceded by the attention mark. */
export const useTitle = (title: string): void => {
  const mark = useCell(usePage().attention.mark);
  useEffect(() => {
    document.title = mark === "" ? title : `${mark} · ${title}`;
  }, [mark, title]);
};
