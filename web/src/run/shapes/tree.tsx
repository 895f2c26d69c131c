import { JsonTree } from "../json-tree.tsx";
import type { Shape } from "../shape.ts";

/** Any structured value. */
export const tree: Shape = {
  label: "Show as tree",
  show: ({ value }) => (value === undefined ? undefined : <JsonTree value={value} />),
};
