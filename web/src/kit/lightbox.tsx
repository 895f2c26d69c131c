import { useState } from "react";
import { IconButton } from "./button.tsx";
import { IconClose } from "./shell-icons.tsx";
import { useModal } from "./use-modal.ts";

interface LargeImageProps {
  readonly src: string;
  readonly alt: string;
  readonly className: string;
}

/** An image that opens large on a click. Escape, a click, or the button closes it and restores the focus. */
export const LargeImage = ({ src, alt, className }: LargeImageProps) => {
  const [isLarge, setIsLarge] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-label={`Enlarge ${alt}`}
        onClick={() => setIsLarge(true)}
        className="cursor-zoom-in self-start rounded-md"
      >
        <img src={src} alt={alt} className={className} />
      </button>
      {isLarge && <Lightbox src={src} alt={alt} onClose={() => setIsLarge(false)} />}
    </>
  );
};

const Lightbox = ({ src, alt, onClose }: Omit<LargeImageProps, "className"> & { readonly onClose: () => void }) => {
  const element = useModal();
  return (
    <dialog
      ref={element}
      aria-label={alt}
      // On the page, Escape stops the run.
      onKeyDown={(event) => event.key === "Escape" && event.stopPropagation()}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={onClose}
      className="m-0 flex h-dvh max-h-none w-dvw max-w-none items-center justify-center bg-scrim-deep p-0"
    >
      <img src={src} alt={alt} className="max-h-[92dvh] max-w-[94vw] rounded-md bg-paper object-contain" />
      <span className="absolute top-2 right-2 rounded-lg bg-card">
        <IconButton label="Close" onClick={onClose}>
          <IconClose />
        </IconButton>
      </span>
    </dialog>
  );
};
