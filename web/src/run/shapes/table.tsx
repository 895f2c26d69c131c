import { DataTable } from "../data-table.tsx";
import { tableOf } from "runcast/view";
import type { Shape } from "../shape.ts";

/** A list of flat objects with mostly the same fields. */
export const table: Shape = {
  label: "Show as table",
  show: ({ value }) => {
    const found = tableOf(value);
    return found && <DataTable table={found} />;
  },
};
