/** Whether to colour what goes there: https://no-color.org, and never where it is no terminal, unless FORCE_COLOR asks for it. */
export const hasColor = (output: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): boolean => {
  if (environment["NO_COLOR"]) return false;
  const forced = environment["FORCE_COLOR"];
  if (forced !== undefined && forced !== "0") return true;
  return output.isTTY === true && environment["TERM"] !== "dumb";
};
