/** How to run a Runcast command from here. A clone runs TypeScript and has no `runcast` command, so it uses npm scripts. */
export const ownCommand = (name: string, ...args: readonly string[]): string => {
  if (!isClone) return ["npx runcast", name, ...args].join(" ");
  const script = name === "serve" ? ["npm start"] : ["npm run runcast --", name];
  return [...script, ...(name === "serve" && args.length > 0 ? ["--"] : []), ...args].join(" ");
};

const isClone = import.meta.url.endsWith(".ts");
