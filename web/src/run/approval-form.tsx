import { useId } from "react";
import type { Answer, Json } from "runcast/events";
import { diffsIn } from "runcast/view";
import type { AskParts } from "./ask-form.tsx";
import { AskButton } from "./ask-button.tsx";
import { DiffView } from "./diff-view.tsx";
import { readJson } from "./form-fields.ts";
import { Fields, isFields } from "./fields.tsx";
import { JsonTree } from "./json-tree.tsx";

/** Allows a call, with or without edited arguments, or denies it. */
export const ApprovalForm = ({ state, ask, facts, draft, enter, send, isOnCard }: AskParts) => {
  const id = useId();
  const { text, reason = "", always = false } = draft.fields as { text?: string; reason?: string; always?: boolean };
  const allows = ask.allows ?? [];
  const call = ask.call === undefined ? undefined : state.nodes.get(ask.call);
  const value = ask.value ?? (call?.kind === "call" ? call.input : undefined);
  const diffs = diffsIn(value);
  const read = text === undefined ? undefined : checked(text, value);
  const trouble = read && "trouble" in read ? read.trouble : undefined;
  const reasons = { ...(allows.includes("reason") && reason.trim() !== "" && { reason: reason.trim() }) };
  const give = (answer: Answer) => {
    if (answer.allow !== true) return send({ ...answer, ...reasons });
    send({
      ...answer,
      ...(read && "value" in read && JSON.stringify(read.value) !== JSON.stringify(value) && { input: read.value }),
      ...(always && { always: true }),
      ...reasons,
    });
  };
  return (
    <>
      {text === undefined && diffs.map((diff) => <DiffView key={diff} text={diff} />)}
      {text === undefined ? (
        value !== undefined &&
        diffs.length === 0 &&
        !(isOnCard && call) && (
          <div
            className="max-h-60 overflow-auto rounded-md bg-sunken px-2 py-1"
            tabIndex={0}
            role="group"
            aria-label="Arguments to approve"
          >
            {!isFields(value) ? (
              <JsonTree value={value} />
            ) : Object.keys(value).length === 0 ? (
              <p className="text-xs text-soft">No arguments</p>
            ) : (
              <Fields input={value} />
            )}
          </div>
        )
      ) : (
        <div>
          <textarea
            aria-label="Arguments, as JSON"
            aria-invalid={trouble !== undefined}
            aria-describedby={id}
            spellCheck={false}
            rows={Math.min(14, Math.max(4, text.split("\n").length + 1))}
            value={text}
            onChange={(event) => enter({ text: event.target.value })}
            className={`max-h-80 min-h-24 w-full rounded-md border bg-page px-2.5 py-1.5 font-mono text-xs leading-5 [field-sizing:content] ${trouble === undefined ? "border-line" : "border-bad"}`}
          />
          <p id={id} role="status" className="text-xs text-bad empty:hidden">
            {trouble}
          </p>
        </div>
      )}
      {allows.includes("reason") && (
        <input
          aria-label="Reason (optional)"
          placeholder="Reason (optional)"
          value={reason}
          onChange={(event) => enter({ reason: event.target.value })}
          className="w-full rounded-md border border-line bg-page px-2.5 py-1.5 text-sm placeholder:text-soft"
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        {facts.choices.map(({ key, label, answer }, index) => (
          <AskButton
            key={key}
            main={index === 0}
            disabled={answer.allow === true && trouble !== undefined}
            onPress={() => give(answer)}
          >
            {answer.allow === true && text !== undefined ? `${label} with edits` : label}
          </AskButton>
        ))}
        {allows.includes("edit") && (
          <AskButton
            onPress={() =>
              enter({ text: text === undefined ? (JSON.stringify(value, undefined, 2) ?? "{}") : undefined })
            }
          >
            {text === undefined ? "Edit arguments" : "Discard edits"}
          </AskButton>
        )}
        {allows.includes("always") && (
          <label className="inline-flex cursor-pointer items-center gap-1.5 text-soft">
            <input type="checkbox" checked={always} onChange={(event) => enter({ always: event.target.checked })} />
            Always allow in this run
          </label>
        )}
      </div>
    </>
  );
};

/** Arguments must keep their type: an object cannot become a list. */
const checked = (text: string, value: Json | undefined): ReturnType<typeof readJson> => {
  const read = readJson(text);
  if ("trouble" in read || value === undefined) return read;
  return kindOf(read.value) === kindOf(value) ? read : { trouble: `The arguments must remain ${kindOf(value)}` };
};

const kindOf = (value: Json): string =>
  Array.isArray(value) ? "a list" : typeof value === "object" && value !== null ? "an object" : "a plain value";
