/** Whether to use color on an output: only on a terminal, unless FORCE_COLOR is set. See https://no-color.org. */
export const hasColor = (output: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): boolean => {
  if (environment["NO_COLOR"]) return false;
  const forced = environment["FORCE_COLOR"];
  if (forced !== undefined && forced !== "0") return true;
  return output.isTTY === true && environment["TERM"] !== "dumb";
};
