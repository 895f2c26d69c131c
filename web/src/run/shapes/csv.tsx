import { csvTable } from "runcast/view";
import { DataTable } from "../data-table.tsx";
import type { Shape } from "../shape.ts";

/** Comma-separated values. */
export const csv: Shape = {
  label: "Show as table",
  show: ({ text, value, isCsv }) => {
    const found = text === undefined || value !== undefined ? undefined : csvTable(text, isCsv);
    return found && <DataTable table={found} />;
  },
};
