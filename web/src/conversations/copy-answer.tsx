import type { RunState } from "runcast/state";
import { textOfMarkdown } from "runcast/markdown";
import { answerMarkdown } from "runcast/view";
import { useCopy } from "../kit/copy-button.tsx";
import { IconCheck, IconCopy } from "../kit/icons.tsx";
import { Action } from "./message-actions.tsx";

/** Copies the agent's answer, as Markdown or as plain text. */
export const CopyAnswer = ({ state }: { readonly state: RunState }) => {
  const markdown = useCopy(() => answerMarkdown(state));
  const text = useCopy(() => textOfMarkdown(answerMarkdown(state)));
  if (answerMarkdown(state) === "") return null;
  return (
    <>
      <Copy {...markdown}>Copy Markdown</Copy>
      <Copy {...text}>Copy text</Copy>
    </>
  );
};

const Copy = ({ status, copy, children }: ReturnType<typeof useCopy> & { readonly children: string }) => (
  <Action
    icon={status === "Copied" ? <IconCheck className="size-3.5" /> : <IconCopy className="size-3.5" />}
    onClick={copy}
  >
    <span aria-live="polite">{status || children}</span>
  </Action>
);
