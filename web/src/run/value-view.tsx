import { useMemo, useState } from "react";
import type { Json } from "runcast/events";
import { tableOf } from "runcast/view";
import { DataTable } from "./data-table.tsx";
import { JsonTree } from "./json-tree.tsx";

/** A structured value: a table if it is one, else a tree. */
export const ValueView = ({ value }: { readonly value: Json | undefined }) => {
  const table = useMemo(() => tableOf(value), [value]);
  const [asTree, setAsTree] = useState(false);
  if (!table) return <JsonTree value={value} />;
  return (
    <div>
      {asTree ? <JsonTree value={value} /> : <DataTable table={table} />}
      <button
        type="button"
        onClick={() => setAsTree(!asTree)}
        className="mt-1 cursor-pointer text-xs text-accent underline"
      >
        {asTree ? "Show as table" : "Show as tree"}
      </button>
    </div>
  );
};
