import { useCallback, useContext, useEffect, useState, useSyncExternalStore } from "react";
import type { Answer } from "runcast/events";
import { useNode } from "runcast/react";
import type { AskNode, RunState } from "runcast/state";
import { type AskFacts, describeAsk, remainingText } from "runcast/view";
import type { RunActions } from "./actions.ts";
import { ApprovalForm } from "./approval-form.tsx";
import { AskButton } from "./ask-button.tsx";
import { CodeForm } from "./code-form.tsx";
import type { Draft } from "./drafts.ts";
import { Moment } from "./run-context.ts";
import { troubleText } from "./trouble-text.ts";
import { ValueForm } from "./value-form.tsx";

export interface AskFormProps {
  readonly state: RunState;
  readonly node: AskNode;
  readonly actions: RunActions;
  /** Whether it is on the card of its call, which already shows the arguments. */
  readonly isOnCard?: boolean;
}

/** The props of an ask's form: the shared draft and how to change or send it. */
export interface AskParts {
  readonly state: RunState;
  readonly ask: AskNode["ask"];
  readonly facts: AskFacts;
  readonly draft: Draft;
  readonly enter: (fields: Draft["fields"]) => void;
  readonly send: (answer: Answer) => void;
  readonly isOnCard: boolean;
}

/** An ask and the controls to answer it. All instances share the node and one draft, so they show the same. */
export const AskForm = ({ state, node, actions, isOnCard = false }: AskFormProps) => {
  const { ask } = useNode(state, node);
  const facts = describeAsk(node);
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
        trouble: `Could not send: ${troubleText(error)}`,
      });
    }
  };
  const parts: AskParts = {
    state,
    ask,
    facts,
    draft,
    isOnCard,
    enter: (fields) => drafts.set(key, { fields: { ...drafts.get(key).fields, ...fields }, trouble: undefined }),
    send: (given) => void send(given),
  };
  return (
    <div className="flex min-w-0 flex-col gap-2 text-sm" data-ask={node.id} data-outcome={facts.badge.state}>
      <div className="[overflow-wrap:anywhere]">
        <p className="font-medium" data-title>
          {facts.title}
        </p>
        {facts.message && <p className="whitespace-pre-wrap text-soft">{facts.message}</p>}
      </div>
      {!facts.isOpen || !answer ? (
        <p className="text-soft [overflow-wrap:anywhere]" data-answer>
          {facts.reply}
        </p>
      ) : (
        <>
          {facts.expires !== undefined && <Expiry at={facts.expires} />}
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
  const { facts, ask, send } = parts;
  if (ask.kind === "approval") return <ApprovalForm {...parts} />;
  if (ask.kind === "execute") return <CodeForm ask={ask} send={send} />;
  if (facts.choices.length === 0) return <ValueForm {...parts} />;
  const isList = ask.kind === "choice";
  return (
    <div className={isList ? "flex flex-col items-start gap-1.5" : "flex flex-wrap gap-2"}>
      {facts.choices.map(({ key, label, description, answer }, index) => (
        <AskButton key={key} main={!isList && index === 0} wide={isList} onPress={() => send(answer)}>
          <span className={isList ? "font-medium" : ""}>{label}</span>
          {description && <span className="block text-xs text-soft">{description}</span>}
        </AskButton>
      ))}
    </div>
  );
};

const Expiry = ({ at }: { readonly at: number }) => {
  const moment = useContext(Moment);
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (moment !== undefined) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [moment]);
  return <p className="text-xs text-pending">{remainingText(at, moment ?? now)}</p>;
};
