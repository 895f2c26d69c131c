import { useEffect, useState } from "react";
import type { Access } from "../session/access.ts";

/** Whether the user may answer the run's asks. For a share link, asks the server. */
export const useMayAnswer = (access: Access, run: string): boolean => {
  const [allowed, setAllowed] = useState(access.token === undefined);
  useEffect(() => {
    if (access.token === undefined) return;
    let isGone = false;
    access
      .ask(`/runs/${encodeURIComponent(run)}/access`)
      .then(async (response) => ((await response.json()) as { answer?: boolean }).answer === true)
      // Problems with the link are reported by following the run.
      .catch(() => false)
      .then((answer) => isGone || setAllowed(answer));
    return () => void (isGone = true);
  }, [access, run]);
  return allowed;
};
