import type { Log } from "../log.ts";

export type Readiness = "starting" | "stopping" | "ready" | "log-failing";

/** Results are cached, because anyone may ask and must not be able to load the log. */
const KEPT_MS = 1000;
const RETRY_MS = 3000;

/** Whether the server accepts new runs and its log can be written. Reports a failure once until it works again. */
export const createReadiness = (
  log: Pick<Log, "check" | "records">,
  phase: () => "starting" | "stopping" | "ready",
  onProblem: (error: unknown) => void,
): (() => Promise<Readiness>) => {
  let asked: { readonly at: number; readonly works: Promise<boolean> } | undefined;
  let isFailing = false;
  const check = async (): Promise<boolean> => {
    try {
      await within(log.check?.() ?? log.records.put("check", "ready", true, { ttlMs: 60_000 }));
      isFailing = false;
    } catch (error) {
      if (!isFailing) onProblem(error);
      isFailing = true;
    }
    return !isFailing;
  };
  return async () => {
    if (phase() !== "ready") return phase();
    if (!asked || performance.now() - asked.at > KEPT_MS) asked = { at: performance.now(), works: check() };
    return (await asked.works) ? phase() : "log-failing";
  };
};

const within = async (work: Promise<unknown>): Promise<void> => {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error("the log does not respond")), RETRY_MS);
  await Promise.race([work, timeout.promise]).finally(() => clearTimeout(timer));
};
