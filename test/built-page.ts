import { buildPageIfStale } from "../scripts/build-page.ts";

/** Once before all suites, so that no two of them build it at the same time. */
export const setup = (): void => buildPageIfStale();
