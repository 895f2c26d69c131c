// Lets what runs in this repository import it by its name, as users of the package do, without building it first.
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, next) {
    const [, part] = /^runcast(?:\/(.+))?$/.exec(specifier) ?? [];
    const source = new URL(`../src/${part ?? "index"}.ts`, import.meta.url);
    const isOwn = specifier === "runcast" || (part !== undefined && existsSync(source));
    return next(isOwn ? source.href : specifier, context);
  },
});
