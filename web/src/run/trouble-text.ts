import { ClientError } from "runcast/client";
import { messageOf } from "runcast/view";

/** Why a request failed, as text to append to a name. Replaces browsers' unhelpful messages for network errors. */
export const troubleText = (error: unknown): string => {
  if (error instanceof ClientError && error.code === "network") return "the server cannot be reached";
  return messageOf(error);
};
