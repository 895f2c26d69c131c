import { fieldsOf, listOf } from "../../json.ts";
import { didYouMean } from "../../did-you-mean.ts";
import { Refusal } from "../../source.ts";
import { textOf } from "../upstream/reading.ts";

/** A setting of the session that the client can choose: its mode or its model. */
export interface Choice {
  readonly values: readonly string[];
  readonly current: string | undefined;
  /** The request that selects a value. */
  readonly select: (value: string) => { readonly method: string; readonly params: Readonly<Record<string, unknown>> };
}

/** The modes or models in the response to `session/new`: in the older format, as a config option, or absent. */
export const choiceOf = (session: unknown, sessionId: string, kind: "mode" | "model"): Choice | undefined => {
  const { modes, configOptions } = fieldsOf(session);
  const option = listOf(configOptions)
    .map(fieldsOf)
    .find(({ category, type }) => category === kind && type === "select");
  const configId = textOf(option?.["id"]);
  if (option && configId !== undefined)
    return {
      values: valuesOf(option["options"]),
      current: textOf(option["currentValue"]),
      select: (value) => ({ method: "session/set_config_option", params: { sessionId, configId, value } }),
    };
  if (kind !== "mode" || !modes) return undefined;
  const { availableModes, currentModeId } = fieldsOf(modes);
  return {
    values: listOf(availableModes).flatMap((mode) => textOf(fieldsOf(mode)["id"]) ?? []),
    current: textOf(currentModeId),
    select: (modeId) => ({ method: "session/set_mode", params: { sessionId, modeId } }),
  };
};

/** Options may be grouped. */
const valuesOf = (options: unknown): readonly string[] =>
  listOf(options)
    .map(fieldsOf)
    .flatMap((one) => (one["options"] === undefined ? (textOf(one["value"]) ?? []) : valuesOf(one["options"])));

/** The value that a request names. Throws a refusal that lists the available values if it is unknown. */
export const chosenFrom = (choice: Choice | undefined, kind: "mode" | "model", wanted: string): string => {
  const values = choice?.values ?? [];
  if (values.includes(wanted)) return wanted;
  throw new Refusal(`unknown-${kind}`, `The agent has no ${kind} ${wanted}${didYouMean(wanted, values)}.`, {
    hint: values.length > 0 ? `it offers ${values.join(", ")}` : `it does not let you choose a ${kind}`,
  });
};
