import { useRef } from "react";
import { IconButton } from "../kit/button.tsx";
import { IconAttach } from "../kit/shell-icons.tsx";

/** Opens the browser's file picker. */
export const AttachButton = ({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // Lets the user choose the same file again.
          target.value = "";
        }}
      />
      <IconButton label="Attach files" onClick={() => input.current?.click()}>
        <IconAttach />
      </IconButton>
    </>
  );
};
