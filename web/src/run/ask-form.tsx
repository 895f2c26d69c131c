import { useCallback, useContext, useEffect, useState, useSyncExternalStore } from "react";
import { elapsed } from "runcast/amounts";
import type { Answer } from "runcast/events";
import { choicesOf } from "runcast/protocol";
import { useNode } from "runcast/react";
import type { AskNode, RunState } from "runcast/state";
import type { RunActions } from "./actions.ts";
import { answerText } from "./answer-text.ts";
import { ApprovalForm } from "./approval-form.tsx";
import { AskButton } from "./ask-button.tsx";
import type { Draft } from "./drafts.ts";
import { Moment } from "./run-context.ts";
import { troubleText } from "./trouble-text.ts";
import { ValueForm } from "./value-form.tsx";
import { visibleText } from "runcast/markdown";

export interface AskFormProps {
  readonly state: RunState;
  readonly node: AskNode;
  readonly actions: RunActions;
  /** It stands on the card of its call, which shows the arguments already. */
  readonly isOnCard?: boolean;
}

/** What the parts of a form get: what was entered so far, wherever that was, and how to go on. */
export interface AskParts {
  readonly state: RunState;
  readonly ask: AskNode["ask"];
  readonly draft: Draft;
  readonly enter: (fields: Draft["fields"]) => void;
  readonly send: (answer: Answer) => void;
  readonly isOnCard: boolean;
}

/** An ask and the means to answer it. Wherever it is shown it shows the same: its node, and one draft. */
export const AskForm = ({ state, node, actions, isOnCard = false }: AskFormProps) => {
  const { ask, outcome } = useNode(state, node);
  const { drafts } = actions;
  const key = `${state.run} ${node.id}`;
  const watch = useCallback((listener: () => void) => drafts.subscribe(key, listener), [drafts, key]);
  const draft = useSyncExternalStore(watch, () => drafts.get(key));
  const { answer } = actions;

  const send = async (given: Answer): Promise<void> => {
    drafts.set(key, { sending: true, trouble: undefined });
    try {
      await answer?.(node.id, given);
    } catch (error) {
      drafts.set(key, {
        sending: false,
        trouble: `Not sent: ${troubleText(error)}`,
      });
    }
  };
  const parts: AskParts = {
    state,
    ask,
    draft,
    isOnCard,
    enter: (fields) => drafts.set(key, { fields: { ...drafts.get(key).fields, ...fields }, trouble: undefined }),
    send: (given) => void send(given),
  };
  return (
    <div className="flex min-w-0 flex-col gap-2 text-sm" data-ask={node.id} data-outcome={outcome ?? "open"}>
      <div className="[overflow-wrap:anywhere]">
        <p className="font-medium">{titleOf(ask)}</p>
        {ask.message && <p className="whitespace-pre-wrap text-soft">{visibleText(ask.message)}</p>}
      </div>
      {outcome !== undefined ? (
        <p className="text-soft [overflow-wrap:anywhere]" data-answer>
          {answerText(node)}
        </p>
      ) : !answer ? (
        <p className="text-soft">Somebody else has to answer this: here one can only watch.</p>
      ) : (
        <>
          {ask.expires !== undefined && <Expiry at={ask.expires} />}
          <fieldset disabled={draft.sending} className="contents">
            <Form parts={parts} />
          </fieldset>
          <p role="status" className={`text-sm empty:hidden ${draft.trouble === undefined ? "text-soft" : "text-bad"}`}>
            {draft.trouble ?? (draft.sending ? "Sending…" : "")}
          </p>
        </>
      )}
    </div>
  );
};

const Form = ({ parts }: { readonly parts: AskParts }) => {
  const { ask, send } = parts;
  if (ask.kind === "approval") return <ApprovalForm {...parts} />;
  if (ask.kind === "confirmation")
    return (
      <div className="flex flex-wrap gap-2">
        <AskButton main onPress={() => send({ allow: true })}>
          Yes
        </AskButton>
        <AskButton onPress={() => send({ allow: false })}>No</AskButton>
      </div>
    );
  if (ask.kind === "choice" && ask.options)
    return (
      <div className="flex flex-col items-start gap-1.5">
        {choicesOf(ask).map((option) => (
          <AskButton key={JSON.stringify(option.value)} wide onPress={() => send({ value: option.value })}>
            <span className="font-medium">{visibleText(option.label ?? String(option.value))}</span>
            {option.description && <span className="block text-xs text-soft">{visibleText(option.description)}</span>}
          </AskButton>
        ))}
        <AskButton onPress={() => send({ value: null })}>None of these</AskButton>
      </div>
    );
  return <ValueForm {...parts} />;
};

const TITLES: Readonly<Record<AskNode["ask"]["kind"], string>> = {
  approval: "May this tool run?",
  confirmation: "Is that all right?",
  input: "An answer is needed",
  choice: "Pick one",
  result: "A result is needed",
  execute: "The tool wants code to be run here",
};

/** What is asked, in a line. */
export const titleOf = ({ title, kind }: AskNode["ask"]): string => visibleText(title ?? TITLES[kind]);

const Expiry = ({ at }: { readonly at: number }) => {
  const moment = useContext(Moment);
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (moment !== undefined) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [moment]);
  const left = at - (moment ?? now);
  return <p className="text-xs text-pending">{left > 0 ? `Expires in ${elapsed(left)}` : "Expiring…"}</p>;
};
