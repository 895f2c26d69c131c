import { useEffect, useState } from "react";
import { byteText } from "runcast/view";
import { Pager } from "../kit/pager.tsx";
import { PAGE_BYTES, pageText, rangeOf } from "./page-bytes.ts";
import { useRunContext } from "./run-context.ts";
import { PlainText } from "./plain-text.tsx";
import { troubleText } from "./trouble-text.ts";

/** A text file of any size, fetched and shown one page at a time. */
export const FilePages = ({ file, bytes }: { readonly file: string; readonly bytes: number }) => {
  const { actions } = useRunContext();
  const [page, setPage] = useState(0);
  const [shown, setShown] = useState<{ readonly page: number; readonly text?: string; readonly trouble?: string }>();
  useEffect(() => {
    let isStale = false;
    const load = async () => {
      try {
        const response = await actions.file!(file, rangeOf(page));
        const text = pageText(new Uint8Array(await response.arrayBuffer()), page);
        if (!isStale) setShown({ page, text });
      } catch (error) {
        if (!isStale) setShown({ page, trouble: troubleText(error) });
      }
    };
    void load();
    return () => {
      isStale = true;
    };
  }, [actions, file, page]);
  const pages = Math.max(1, Math.ceil(bytes / PAGE_BYTES));
  return (
    <div data-pages aria-busy={shown?.page !== page}>
      {shown?.trouble !== undefined ? (
        <p className="text-sm text-bad">This page could not be loaded: {shown.trouble}</p>
      ) : (
        <PlainText text={shown?.text ?? "Loading…"} label="File contents" />
      )}
      <Pager page={page} pages={pages} onPage={setPage}>
        page {page + 1} of {pages}, {byteText(bytes)} in all
      </Pager>
    </div>
  );
};
