import type { IncomingMessage } from "node:http";

export const basePathOf = (given = ""): string => {
  const path = given.replace(/\/+$/, "");
  if (path === "" || /^(?:\/[\w.~-]+)+$/.test(path)) return path;
  throw new Error(`the basePath setting must be a path such as /runcast, not ${given}`);
};

const ORIGIN = /^https?:\/\/(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(?::\d{1,5})?$/;

/** Origins become part of a Content-Security-Policy, so anything else in them would change the policy. */
export const originsOf = (setting: string, given: readonly string[] = []): readonly string[] =>
  given.map((text) => {
    const origin = text.toLowerCase().replace(/\/$/, "");
    if (ORIGIN.test(origin)) return origin;
    throw new Error(`the ${setting} setting must contain origins such as https://chat.example.org, not ${text}`);
  });

/** The origin through which the client of this request reached us. */
export const reachedAt = ({ headers, socket }: IncomingMessage): string =>
  `${"encrypted" in socket && socket.encrypted ? "https" : "http"}://${headers.host ?? "localhost"}`;
