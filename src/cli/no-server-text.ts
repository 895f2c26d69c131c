import { LOCAL, type RunAddress } from "./target.ts";
import { ownCommand } from "./own-command.ts";
import { oneLine } from "./terminal-text.ts";

/** Explains that no server responds at an address, and what to do about it. `why` is the network error. */
export const noServerText = ({ base }: Pick<RunAddress, "base">, why: string): string => {
  const url = new URL(base);
  if (/ENOTFOUND|EAI_AGAIN/.test(why)) return `the host ${url.hostname} was not found; check the address ${base}`;
  if (/\bbad port\b/.test(why)) return `HTTP clients block port ${url.port}; choose another port`;
  const isHere = url.protocol === "http:" && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname);
  if (!isHere)
    return oneLine(`no server responds at ${base} (${why}); check the address and that the server is running`);
  const port = url.port || "80";
  const flags = port === new URL(LOCAL).port ? [] : ["--port", port];
  return `no server responds at ${base}; check the port, or start one there with: ${ownCommand("serve", ...flags)}`;
};
