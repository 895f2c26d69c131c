import type { CallNode } from "runcast/state";
import type { CallFacts } from "runcast/view";
import { CopyButton } from "../kit/copy-button.tsx";
import { Fields, isFields, tailOf } from "./fields.tsx";
import { JsonTree } from "./json-tree.tsx";
import { Label } from "../kit/label.tsx";
import { useRunContext } from "./run-context.ts";
import { PlainText } from "./plain-text.tsx";

/** The arguments of a call while they stream: complete fields, and the tail of incomplete ones. */
export const Arguments = ({ call, facts }: { readonly call: CallNode; readonly facts: CallFacts }) => {
  const { state } = useRunContext();
  const { input } = call;
  if (input === undefined && call.inputText === "")
    return facts.hasAllInput ? null : <p className="text-xs text-soft">Receiving arguments…</p>;
  if (facts.hasAllInput && isFields(input) && Object.keys(input).length === 0)
    return <p className="text-xs text-soft">No arguments</p>;
  const parser = facts.hasAllInput ? undefined : state.inputs.get(call.id);
  return (
    <div role="group" aria-label="Arguments" data-arguments>
      <Label
        text={facts.edits ? "Arguments (edited)" : "Arguments"}
        beside={<CopyButton what="arguments" text={() => argumentText(call)} />}
      />
      {isFields(input) ? (
        <Fields input={input} isWhole={(key) => !parser || parser.complete([key])} raw={call.inputText} />
      ) : input === undefined || parser ? (
        <PlainText text={tailOf(call.inputText)} label="Arguments so far" />
      ) : (
        <JsonTree value={input} />
      )}
    </div>
  );
};

const argumentText = (call: CallNode): string =>
  typeof call.input === "string" ? call.input : (JSON.stringify(call.input, undefined, 2) ?? call.inputText);
