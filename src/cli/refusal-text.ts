import type { Problem } from "../events.ts";
import type { RunAddress } from "./target.ts";
import { oneLine } from "./terminal-text.ts";

/** A server's refusal message and what to do about it. */
export const refusalText = ({ code, message, hint }: Problem, target: Pick<RunAddress, "base">): string => {
  const advice = HERE[code]?.(target) ?? (/^http-\d+$/.test(code) ? HERE["no-stream"]!(target) : hint);
  return oneLine(advice ? `${message} (${advice})` : message);
};

/** Server hints are written for programs. These replace them where the command line works differently. */
const HERE: Readonly<Record<string, (target: Pick<RunAddress, "base">) => string>> = {
  "key-required": () => "pass --key <key>, or set RUNCAST_KEY",
  "wrong-key": () => "check --key <key>, or RUNCAST_KEY if you do not pass --key",
  "unknown-run": ({ base }) => `${base}/runs lists the stored runs`,
  "no-stream": ({ base }) => `check that the server at ${base} is Runcast`,
};
