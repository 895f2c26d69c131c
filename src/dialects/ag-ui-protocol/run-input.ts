import { fieldsOf } from "../../json.ts";
import type { Json } from "../../events.ts";
import type { ClientTool, RunRequest } from "../../source.ts";
import { writeMessages } from "./messages.ts";

/** The metadata key for fields that only this protocol has. */
const METADATA = "ag-ui";

/** The client's message ids, its state, and the properties it forwards to the agent. */
export interface ClientInput {
  readonly ids: readonly string[];
  readonly state?: Json | undefined;
  readonly props?: Json | undefined;
}

export const metadataOf = ({ ids, state, props }: ClientInput): NonNullable<RunRequest["metadata"]> => ({
  [METADATA]: { ids: [...ids], ...unlessEmpty("state", state), ...unlessEmpty("props", props) },
});

/** A request in the protocol's format. */
export const inputOf = ({
  messages,
  tools = [],
  metadata = {},
}: Pick<RunRequest, "messages" | "metadata"> & { readonly tools?: readonly ClientTool[] | undefined }) => {
  const { ids, state = {}, props = {} } = fieldsOf(metadata[METADATA]);
  return {
    state,
    messages: writeMessages(messages, Array.isArray(ids) ? ids : []),
    tools: tools.map(({ name, description = "", schema }) => ({ name, description, parameters: schema ?? {} })),
    context: [],
    forwardedProps: props,
  };
};

/** Most clients send empty objects. */
const unlessEmpty = (name: string, value: Json | undefined): Record<string, Json> =>
  value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0)
    ? {}
    : { [name]: value };
