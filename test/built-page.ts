import { buildPageIfStale } from "../scripts/build-page.ts";

/** Built once before all suites, so that no two of them build it concurrently. */
export const setup = (): void => buildPageIfStale();
