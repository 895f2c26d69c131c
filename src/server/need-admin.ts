import { type Principal, isAdmin } from "../access.ts";
import { HttpRefusal } from "./refusals.ts";

/** Throws a Refusal unless the principal has the right `admin`. */
export const needAdmin = (principal: Principal): void => {
  if (isAdmin(principal)) return;
  throw new HttpRefusal(
    403,
    "not-allowed",
    "this requires the admin right",
    "use a key that has this right in the keys setting",
  );
};
