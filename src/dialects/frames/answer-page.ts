import type { EncodeOptions } from "../../dialect.ts";

/** The page where the user answers an ask, for clients that cannot answer asks themselves. */
export const answerPage = ({ page }: Pick<EncodeOptions, "page">, run: string): string =>
  page?.("answer") ?? `/?run=${encodeURIComponent(run)}`;
