import { useEffect, useState } from "react";
import { IconCheck, IconCopy } from "./icons.tsx";

type Text = () => string | Promise<string>;

/** `copy` writes the result of `text` to the clipboard. `status` reports for two seconds whether that worked. */
export const useCopy = (
  text: Text,
): { readonly status: "" | "Copied" | "Could not copy"; readonly copy: () => void } => {
  const [status, setStatus] = useState<"" | "Copied" | "Could not copy">("");
  useEffect(() => {
    if (status === "") return;
    const timer = setTimeout(() => setStatus(""), 2000);
    return () => clearTimeout(timer);
  }, [status]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(await text());
      setStatus("Copied");
    } catch {
      setStatus("Could not copy");
    }
  };
  return { status, copy: () => void copy() };
};

export const CopyButton = ({ text, what }: { readonly text: Text; readonly what: string }) => {
  const { status, copy } = useCopy(text);
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={`Copy ${what}`}
      className="inline-flex cursor-pointer items-center gap-1 rounded-sm px-1 py-0.5 text-xs text-soft hover:text-ink pointer-coarse:-mx-1.5 pointer-coarse:-my-2 pointer-coarse:p-2.5"
    >
      {status === "Copied" ? <IconCheck className="size-3.5" /> : <IconCopy className="size-3.5" />}
      <span role="status">{status}</span>
    </button>
  );
};
