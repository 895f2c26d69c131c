import { useEffect, useState } from "react";
import type { Access } from "../session/access.ts";

/** Whether the reader may answer what the run asks: with a link, the server says so. */
export const useMayAnswer = (access: Access, run: string): boolean => {
  const [allowed, setAllowed] = useState(access.token === undefined);
  useEffect(() => {
    if (access.token === undefined) return;
    let isGone = false;
    access
      .ask(`/runs/${encodeURIComponent(run)}/access`)
      .then(async (response) => ((await response.json()) as { answer?: boolean }).answer === true)
      // Whatever is wrong with the link, following the run tells it.
      .catch(() => false)
      .then((answer) => isGone || setAllowed(answer));
    return () => void (isGone = true);
  }, [access, run]);
  return allowed;
};
