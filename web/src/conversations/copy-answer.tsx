import type { RunState } from "runcast/state";
import { textOfMarkdown } from "runcast/markdown";
import { answerMarkdown } from "runcast/view";
import { Action } from "../kit/action.tsx";
import { useCopy } from "../kit/copy-button.tsx";
import { IconCheck, IconCopy, IconCross, IconText } from "../kit/icons.tsx";

/** Copies the agent's answer, as Markdown or as plain text. */
export const CopyAnswer = ({ state }: { readonly state: RunState }) => {
  const markdown = useCopy(() => answerMarkdown(state));
  const text = useCopy(() => textOfMarkdown(answerMarkdown(state)));
  if (answerMarkdown(state) === "") return null;
  return (
    <>
      <Copy {...markdown} Icon={IconCopy}>
        Copy Markdown
      </Copy>
      <Copy {...text} Icon={IconText}>
        Copy text
      </Copy>
    </>
  );
};

interface CopyProps extends ReturnType<typeof useCopy> {
  readonly Icon: typeof IconCopy;
  readonly children: string;
}

const Copy = ({ status, copy, Icon, children }: CopyProps) => {
  const Shown = status === "" ? Icon : status === "Copied" ? IconCheck : IconCross;
  return (
    <Action icon={<Shown className="size-3.5" />} onClick={copy}>
      <span aria-live="polite">{status || children}</span>
    </Action>
  );
};
