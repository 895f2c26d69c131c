import { useEffect, useState } from "react";
import { IconCheck, IconCopy } from "../app/icons.tsx";

/** Copies what `text` gives when it is pressed, and says whether that worked. */
export const CopyButton = ({
  text,
  what,
}: {
  readonly text: () => string | Promise<string>;
  readonly what: string;
}) => {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), 2000);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(await text());
      setSaid("Copied");
    } catch {
      setSaid("Could not copy");
    }
  };
  return (
    <button
      type="button"
      onClick={() => void copy()}
      aria-label={`Copy ${what}`}
      className="inline-flex cursor-pointer items-center gap-1 rounded px-1 py-0.5 text-xs text-soft hover:text-ink"
    >
      {said === "Copied" ? <IconCheck className="size-3.5" /> : <IconCopy className="size-3.5" />}
      <span role="status">{said}</span>
    </button>
  );
};
