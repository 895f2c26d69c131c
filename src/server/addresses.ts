import type { IncomingMessage } from "node:http";

export const basePathOf = (given = ""): string => {
  const path = given.replace(/\/+$/, "");
  if (path === "" || /^(?:\/[\w.~-]+)+$/.test(path)) return path;
  throw new Error(`the setting basePath must be a path such as /runcast: not ${given}`);
};

/** How the client of this request reached us. */
export const reachedAt = ({ headers, socket }: IncomingMessage): string =>
  `${"encrypted" in socket && socket.encrypted ? "https" : "http"}://${headers.host ?? "localhost"}`;
