import { useLayoutEffect, useRef } from "react";

/** A dialog that is open as long as it is drawn. The browser keeps the focus inside and gives it back afterwards. */
export const useModal = () => {
  const element = useRef<HTMLDialogElement>(null);
  // Closed while it is still in the document: only then does the browser give the focus back.
  useLayoutEffect(() => {
    const { current } = element;
    if (!current?.open) current?.showModal();
    return () => current?.close();
  }, []);
  return element;
};
