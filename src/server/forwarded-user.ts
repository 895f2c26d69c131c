import type { Dialect } from "../dialect.ts";
import type { User } from "../events.ts";

const LONGEST_ID = 256;

/** The user that a front end acts for, from its dialect's headers or the header Runcast-User. */
export const forwardedUser = (headers: Headers, dialect: Dialect | undefined): User | undefined => {
  const named = dialect?.user?.(headers);
  if (named) return named;
  const id = decoded(headers.get("runcast-user")?.trim() ?? "").slice(0, LONGEST_ID);
  return id === "" ? undefined : { id };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
