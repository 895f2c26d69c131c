import { useState } from "react";
import { amount, type Table, visibleText } from "runcast/view";
import type { Json } from "runcast/events";
import { Pager } from "../kit/pager.tsx";

const PAGE = 50;

/** A table, one page at a time, so a long one costs no more than a short one. */
export const DataTable = ({ table: { columns, rows, numbers } }: { readonly table: Table }) => {
  const [page, setPage] = useState(0);
  const pages = Math.ceil(rows.length / PAGE);
  const from = page * PAGE;
  const isNumber = (column: string, cell: Json | undefined) => typeof cell === "number" || numbers?.has(column);
  return (
    <div data-table>
      <div
        tabIndex={0}
        role="group"
        aria-label="Table"
        className="max-h-96 overflow-auto rounded-md border border-line"
      >
        <table className="w-full border-collapse text-xs">
          <thead className="sticky top-0 bg-sunken text-left">
            <tr>
              {columns.map((column) => (
                <th
                  key={column}
                  scope="col"
                  className={`border-b border-line px-2 py-1 font-medium whitespace-nowrap ${isNumber(column, rows[0]?.[column]) ? "text-right" : ""}`}
                >
                  {visibleText(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(from, from + PAGE).map((row, index) => (
              // Rows have no ids and never change.
              // oxlint-disable-next-line react/no-array-index-key
              <tr key={from + index} className="even:bg-sunken/50">
                {columns.map((column) => (
                  <td
                    key={column}
                    className={`max-w-80 px-2 py-1 align-top [overflow-wrap:anywhere] ${isNumber(column, row[column]) ? "text-right tabular-nums" : ""}`}
                  >
                    {cellText(row[column])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pages > 1 && (
        <Pager page={page} pages={pages} onPage={setPage}>
          rows {amount(from + 1)} to {amount(Math.min(from + PAGE, rows.length))} of {amount(rows.length)}
        </Pager>
      )}
    </div>
  );
};

const cellText = (cell: Json | undefined): string =>
  cell === undefined ? "" : typeof cell === "string" ? visibleText(cell) : String(cell);
