import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { Button } from "./button.tsx";
import { ProblemNote } from "./problem-note.tsx";

const LOST = {
  code: "not-loaded",
  message: "this part of the page could not be loaded",
  hint: "check that the server is running, then try again",
};

/**
 * A component whose code loads when it is first shown. Unlike `lazy`, a failed load does not take the page down and is
 * not remembered: the server may be back for the next try.
 */
export const loadLater = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  whileLoading: ReactNode = null,
): ComponentType<Props> => {
  let loaded: ComponentType<Props> | undefined;
  return (props) => {
    const [Part, setPart] = useState(() => loaded);
    const [attempt, setAttempt] = useState(0);
    const [isLost, setLost] = useState(false);
    useEffect(() => {
      if (loaded) return;
      let isGone = false;
      load().then(
        (part) => {
          loaded = part;
          if (!isGone) setPart(() => part);
        },
        () => !isGone && setLost(true),
      );
      return () => {
        isGone = true;
      };
    }, [attempt]);
    if (Part) return <Part {...props} />;
    if (!isLost) return whileLoading;
    const { onClose }: { readonly onClose?: () => void } = props;
    const again = () => {
      setLost(false);
      setAttempt((last) => last + 1);
    };
    return (
      <div className="fixed inset-x-4 bottom-4 z-30 mx-auto max-w-md">
        <ProblemNote problem={LOST}>
          <Button onClick={again}>Try again</Button>
          {onClose && <Button onClick={onClose}>Close</Button>}
        </ProblemNote>
      </div>
    );
  };
};
