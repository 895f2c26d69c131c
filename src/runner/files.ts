import type { FileRef } from "../events.ts";
import type { Log } from "../log.ts";
import type { RunContext } from "../source.ts";

/** The bytes that one run keeps beside its log. */
export const createFiles = (log: Log, run: string): Pick<RunContext, "put" | "get"> => ({
  put: (bytes, file): Promise<FileRef> => log.put(run, typeof bytes === "string" ? Buffer.from(bytes) : bytes, file),
  async get(file) {
    const stored = await log.get(run, file);
    return stored && Buffer.concat(await Array.fromAsync(stored.bytes));
  },
});
