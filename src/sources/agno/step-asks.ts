import { type Fields, fieldsOf, listOf } from "../../json.ts";
import type { Answer, Json } from "../../events.ts";
import { jsonOf, lineOf } from "../upstream/reading.ts";
import { formSchema, formValues } from "./forms.ts";
import type { AskEvent } from "./tool-asks.ts";

interface StepAsk {
  readonly event: AskEvent;
  /** The requirement with the answer. Without an answer, no decision was made. */
  resolve(answer: Answer | undefined): Fields;
}

const isOpen = (value: unknown): boolean => value === null || value === undefined;

/** The ask about a workflow step. Undefined if it is already answered or is about a tool. */
export const stepAsk = (step: Fields): StepAsk | undefined => {
  const name = lineOf(step["step_name"], 100) ?? "step";
  if (step["requires_output_review"] === true && isOpen(step["confirmed"])) {
    const value = jsonOf(fieldsOf(step["step_output"])["content"]);
    return {
      event: {
        kind: "confirmation",
        title: `Accept the output of ${name}?`,
        ...messageOf(step["output_review_message"]),
        ...(value !== undefined && { value }),
        allows: ["reason"],
      },
      resolve: (answer) => ({ ...step, ...decision(answer), rejection_feedback: answer?.reason ?? null }),
    };
  }
  if (step["requires_confirmation"] === true && isOpen(step["confirmed"]))
    return {
      event: { kind: "confirmation", title: `Run ${name}?`, ...messageOf(step["confirmation_message"]) },
      resolve: (answer) => ({ ...step, ...decision(answer) }),
    };
  if (step["requires_route_selection"] === true && isOpen(step["selected_choices"])) return routeAsk(step, name);
  if (step["requires_user_input"] === true && isOpen(step["user_input"])) {
    const { schema, value } = formSchema(step["user_input_schema"]);
    return {
      event: { kind: "input", title: `${name} needs input`, ...messageOf(step["user_input_message"]), schema, value },
      resolve: (answer) => ({
        ...step,
        ...formValues(step["user_input_schema"], answer?.value),
        user_input: fieldsOf(answer?.value),
      }),
    };
  }
  return undefined;
};

const routeAsk = (step: Fields, name: string): StepAsk => {
  const routes = listOf(step["available_choices"])
    .filter((one): one is string => typeof one === "string")
    .slice(0, 100);
  const isMany = step["allow_multiple_selections"] === true;
  const title = `Choose a route for ${name}`;
  const schema: Json = { type: "array", items: { type: "string", enum: routes } };
  return {
    event: isMany
      ? { kind: "input", title, schema }
      : { kind: "choice", title, options: routes.map((value) => ({ value })) },
    resolve: (answer) => {
      const { value } = answer ?? {};
      return { ...step, selected_choices: Array.isArray(value) ? value : value == null ? [] : [value] };
    },
  };
};

const decision = (answer: Answer | undefined): Fields => ({ confirmed: answer?.allow === true });

const messageOf = (text: unknown): { message?: string } => {
  const message = lineOf(text, 2000);
  return message === undefined ? {} : { message };
};
