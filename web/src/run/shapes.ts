import type { Shape } from "./shape.ts";
import { csv } from "./shapes/csv.tsx";
import { diff } from "./shapes/diff.tsx";
import { markdown } from "./shapes/markdown.tsx";
import { plain } from "./shapes/plain.tsx";
import { table } from "./shapes/table.tsx";
import { terminal } from "./shapes/terminal.tsx";
import { tree } from "./shapes/tree.tsx";

/** All shapes of results. The first one that fits is shown, and the user can choose another. */
export const SHAPES: readonly Shape[] = [table, csv, tree, terminal, diff, markdown, plain];
