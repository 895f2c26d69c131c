import { useLayoutEffect, useRef } from "react";

/** A dialog that is open while mounted. The browser traps the focus and restores it afterwards. */
export const useModal = () => {
  const element = useRef<HTMLDialogElement>(null);
  // Close it while it is still in the document: otherwise the browser does not restore the focus.
  useLayoutEffect(() => {
    const { current } = element;
    if (!current?.open) current?.showModal();
    return () => current?.close();
  }, []);
  return element;
};
