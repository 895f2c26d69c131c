import type { Json } from "../events.ts";
import type { CallNode } from "../state.ts";

export interface CommandFacts {
  /** The command line, if the arguments contain one. */
  readonly command: string | undefined;
  /** How the command ended, if known. */
  readonly end: { readonly text: string; readonly failed: boolean } | undefined;
}

/** Display data for a call that runs a command. */
export const describeCommand = ({ input, value }: CallNode): CommandFacts => {
  const { command, script } = fieldsOf(input);
  const given = script ?? command;
  return { command: typeof given === "string" ? given : undefined, end: endOf(fieldsOf(value)) };
};

const endOf = ({ exitCode, signal }: { readonly [key: string]: Json | undefined }): CommandFacts["end"] => {
  if (typeof signal === "string") return { text: `Ended by ${signal}`, failed: true };
  return typeof exitCode === "number" ? { text: `Exit code ${exitCode}`, failed: exitCode !== 0 } : undefined;
};

const fieldsOf = (value: Json | undefined): { readonly [key: string]: Json | undefined } =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
