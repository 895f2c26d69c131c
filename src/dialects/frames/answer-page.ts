import type { EncodeOptions } from "../../dialect.ts";

/** Where a person answers what a run asks, for clients that cannot. */
export const answerPage = ({ page }: Pick<EncodeOptions, "page">, run: string): string =>
  page?.("answer") ?? `/?run=${encodeURIComponent(run)}`;
