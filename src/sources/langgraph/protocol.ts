import { type Fields, fieldsOf, listOf } from "../../json.ts";
import { countOf, textOf } from "../upstream/reading.ts";

/** One event of LangGraph's streaming protocol, version 2. Version 1 and in-process graphs are translated into it. */
export interface ProtocolEvent {
  readonly method: string;
  /** The path of the graph that it belongs to. */
  readonly namespace: readonly string[];
  readonly data: Fields;
  readonly seq?: number | undefined;
  /** The run that begins or ends with it, if known. */
  readonly run?: string | undefined;
  /** Milliseconds since 1970, by the server's clock. */
  readonly timestamp?: number | undefined;
}

const MAX_DEPTH = 32;

/** Parses a protocol event. Undefined if the value is not one. */
export const protocolEventOf = (value: unknown): ProtocolEvent | undefined => {
  const fields = fieldsOf(value);
  const method = textOf(fields["method"]);
  if (method === undefined) return undefined;
  const params = fieldsOf(fields["params"]);
  return {
    method,
    namespace: pathOf(params["namespace"]),
    data: fieldsOf(params["data"]),
    seq: countOf(fields["seq"]),
    run: /^synth:([^:]+):/.exec(textOf(fields["event_id"]) ?? "")?.[1],
    timestamp: countOf(params["timestamp"]),
  };
};

export const pathOf = (value: unknown): readonly string[] =>
  listOf(value)
    .filter((one): one is string => typeof one === "string")
    .slice(0, MAX_DEPTH);

/** A path as a map key. */
export const keyOf = (namespace: readonly string[]): string => namespace.join("|");

/** LangChain objects come either plain or wrapped with their class name. */
export const unwrapped = (value: unknown): Fields => {
  const fields = fieldsOf(value);
  if (fields["lc"] === undefined || typeof fields["kwargs"] !== "object") return fields;
  return { type: listOf(fields["id"]).at(-1), ...fieldsOf(fields["kwargs"]) };
};

/** A field in either spelling: Python's with underscores, or JavaScript's camelCase. */
export const fieldNamed = (fields: Fields, name: string): unknown =>
  fields[name] ?? fields[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())];

/** Whether two values are the same JSON, regardless of field order. */
export const isSame = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? "";

/** The text of a message's content, which is a string or a list of blocks. */
export const contentText = (content: unknown): string =>
  typeof content === "string"
    ? content
    : listOf(content)
        .map((block) => (typeof block === "string" ? block : (textOf(fieldsOf(block)["text"]) ?? "")))
        .join("");
