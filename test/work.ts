import { Session } from "node:inspector/promises";
import { afterAll, beforeAll } from "vitest";

/**
 * Counts how many blocks of our own code run: functions, branches and bodies of loops. Unlike time, the count does not
 * depend on the machine. Work inside built-in functions does not count.
 */
export const useWorkCount = (): ((work: () => void) => Promise<number>) => {
  const session = new Session();
  const take = async (): Promise<number> => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const own = result.filter(({ url }) => /\/src\//.test(url) && !url.includes("node_modules"));
    const counts = own.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  // Before the code first runs: V8 does not count calls of functions that were optimized earlier.
  beforeAll(async () => {
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  });
  afterAll(() => session.disconnect());
  return async (work) => {
    await take();
    work();
    return await take();
  };
};
