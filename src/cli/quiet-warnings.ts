/** Node.js warns about SQLite up to version 22, and about a package.json without a type. Neither matters to a user. */
const isQuiet = (text: string): boolean =>
  text.startsWith("SQLite is an experimental feature") || /^Module type of .*runcast\.config\.\w+ is not/.test(text);

/** Must be called before the modules that cause the warnings are loaded. */
export const quietWarnings = (): void => {
  const emitWarning = process.emitWarning.bind(process) as (warning: Error | string, ...rest: unknown[]) => void;
  process.emitWarning = (warning: Error | string, ...rest: unknown[]): void => {
    if (!isQuiet(String(warning))) emitWarning(warning, ...rest);
  };
};
