import type { ApprovalOption, ChoiceOption, EventOf, Problem } from "./events.ts";

/** The version of the vocabulary in events.ts, the grammar in verify.ts and PROTOCOL.md. Logs of earlier versions stay readable. */
export const PROTOCOL = 2;

/** Why a log of this version cannot be read here; undefined if it can. */
export const protocolProblem = (protocol: number): (Problem & { readonly hint: string }) | undefined =>
  protocol > PROTOCOL
    ? {
        code: "protocol",
        message: `this log uses protocol ${protocol}; this version of Runcast reads up to ${PROTOCOL}`,
        hint: "update it",
      }
    : undefined;

type Options = Pick<EventOf<"ask-start">, "options">;

/** The values that an ask offers to choose from. */
export const choicesOf = ({ options = [] }: Options): readonly ChoiceOption[] =>
  options.filter((option): option is ChoiceOption => "value" in option);

/** The ways to allow or deny that an approval offers. */
export const approvalsOf = ({ options = [] }: Options): readonly ApprovalOption[] =>
  options.filter((option): option is ApprovalOption => "allow" in option);
