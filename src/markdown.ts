/**
 * Incremental Markdown. The cost per token does not depend on what came before it. Uses no framework and no DOM: views
 * draw the blocks of a reader.
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
