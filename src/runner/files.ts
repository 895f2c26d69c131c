import type { FileRef } from "../events.ts";
import type { Log } from "../log.ts";
import type { RunContext } from "../source.ts";
import type { Intake } from "./intake.ts";
import { unkept } from "./problem.ts";

/** The bytes that one run keeps beside its log. */
export interface Files extends Pick<RunContext, "put" | "get"> {
  /** The bytes of a file of this run, or of another one that its request names. */
  read(file: string, of?: string): Promise<Buffer | undefined>;
  /** For a run that will never start: nobody else would remove what it has put. */
  discard(): Promise<void>;
}

/** `intake` is where the run's bytes are counted and redacted; `report` hears why the log takes none. */
export const createFiles = (
  log: Log,
  run: string,
  intake: () => Pick<Intake, "count" | "redactor">,
  report: (error: unknown) => void = () => {},
): Files => {
  let files: string[] | undefined;
  const read: Files["read"] = async (file, of = run) => {
    const stored = await log.get(of, file);
    return stored && Buffer.concat(await Array.fromAsync(stored.bytes));
  };
  return {
    async put(bytes, file): Promise<FileRef> {
      const given = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
      const { redactor } = intake();
      const whole = redactor ? await redactor.bytes(given, file.mediaType) : given;
      intake().count(whole.length);
      const ref = await log.put(run, whole, file).catch((error: unknown) => {
        const refusal = unkept(error);
        if (refusal !== error) report(error);
        throw refusal;
      });
      (files ??= []).push(ref.file);
      return ref;
    },
    get: (file) => read(file),
    read,
    async discard() {
      if (files) await log.discard(run, files);
    },
  };
};
