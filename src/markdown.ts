/**
 * Markdown that arrives in parts, read at a cost per token that does not depend on what came before it. No framework and no DOM:
 * views draw the blocks that a reader holds.
 */
export { type Block, ORDERS, RUN } from "./markdown/block.ts";
export { grownText, lastText } from "./markdown/growth.ts";
export type { Inline } from "./markdown/inline.ts";
export { plainText } from "./markdown/inline/brackets.ts";
export { createParser, type MarkdownParser } from "./markdown/parser.ts";
export { createReader, type Reader } from "./markdown/reader.ts";
export { namesPlace, type SafeUrl, safeUrl } from "./markdown/safe-url.ts";
export { beginsTask, taskOf, withoutBox } from "./markdown/task.ts";
export { textOfMarkdown } from "./markdown/text.ts";
export { visibleText } from "./markdown/visible-text.ts";
