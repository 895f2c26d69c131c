#!/usr/bin/env node
// Import no other module before the version check: on an older Node.js it would crash with a stack trace.
import { readFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const wanted: string = manifest.engines.node.replace(/^>=\s*/, "");

const isOlder = (version: string, other: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split(".").map(Number);
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
};

if (isOlder(process.versions.node, wanted)) {
  process.stderr.write(
    `runcast: this is Node.js ${process.versions.node}, but Runcast needs ${wanted} or newer; install it from https://nodejs.org and run the command again\n`,
  );
  process.exitCode = 1;
} else {
  const { main } = await import("./cli/main.ts");
  process.exitCode = await main(process.argv.slice(2));
}
