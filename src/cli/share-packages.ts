import { readFileSync } from "node:fs";
import nodeModule from "node:module";
import { pathToFileURL } from "node:url";

interface Manifest {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as Manifest;

/** What a configuration can import without a copy in its project: Runcast and its dependencies, such as zod. */
const ours = new Set([manifest.name, ...Object.keys(manifest.dependencies)]);

/** The optional packages that Runcast imports, such as redis. */
const theirs = new Set(Object.keys(manifest.peerDependencies));

/** Node.js before 22.15 has no hooks in the same thread. */
export const canSharePackages = (): boolean => nodeModule.registerHooks !== undefined;

/**
 * Lets an installation outside the project (`npm install -g runcast`, `npx runcast`) and the project use each other's
 * packages. A package that is found in the usual way takes precedence.
 */
export const sharePackages = (configFile: string): void => {
  if (!canSharePackages()) return;
  nodeModule.registerHooks({
    resolve: (specifier, context, next) => {
      try {
        return next(specifier, context);
      } catch (error) {
        const [name = ""] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
        if (!isMissing(error) || !(ours.has(name) || theirs.has(name))) throw error;
        const parentURL = ours.has(name) ? import.meta.url : pathToFileURL(configFile).href;
        return next(specifier, { ...context, parentURL });
      }
    },
  });
};

/** Whether there is no such package. If only a file of it is missing, the error has a `url`. */
const isMissing = (error: unknown): boolean => {
  const { code, url } = error as NodeJS.ErrnoException & { readonly url?: string };
  return code === "ERR_MODULE_NOT_FOUND" && url === undefined;
};
