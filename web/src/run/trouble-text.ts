import { ClientError } from "runcast/client";
import { messageOf } from "runcast/view";

/** Why a request came to nothing, as it goes on from a name. What browsers say of a network that is gone tells nobody anything. */
export const troubleText = (error: unknown): string => {
  if (error instanceof ClientError && error.code === "network") return "the server cannot be reached";
  return messageOf(error);
};
