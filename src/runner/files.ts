import type { FileRef } from "../events.ts";
import type { Log } from "../log.ts";
import type { RunContext } from "../source.ts";
import type { Intake } from "./intake.ts";
import { fileNotStored } from "./problem.ts";

/** The files that one run stores alongside its log. */
export interface Files extends Pick<RunContext, "put" | "get"> {
  /** The bytes of a file of this run, or of another run that its request names. */
  read(file: string, of?: string): Promise<Buffer | undefined>;
  /** Removes the files of a run that will never start. Nothing else would remove them. */
  discard(): Promise<void>;
}

/** `intake` counts and redacts the run's bytes. `report` receives the cause when the log rejects a file. */
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
        const refusal = fileNotStored(error);
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
