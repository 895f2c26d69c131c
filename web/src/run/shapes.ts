import type { Shape } from "./shape.ts";
import { diff } from "./shapes/diff.tsx";
import { markdown } from "./shapes/markdown.tsx";
import { plain } from "./shapes/plain.tsx";
import { table } from "./shapes/table.tsx";
import { terminal } from "./shapes/terminal.tsx";
import { tree } from "./shapes/tree.tsx";

/** Every shape that a result can have. The first one that fits is shown, and the reader can choose another that fits. */
export const SHAPES: readonly Shape[] = [table, tree, terminal, diff, markdown, plain];
