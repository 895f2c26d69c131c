import { type Fields, fieldsOf, listOf } from "../../../../src/json.ts";
import type { Screen } from "../../../../src/torture.ts";

/** What Open WebUI's page shows of a message: its `output`, a list of items as in OpenAI's Responses. */
export class OutputScreen implements Screen {
  output: Fields[] = [];
  end: string | undefined;
  problem: string | undefined;
  readonly agents = [];

  get text(): string {
    return this.#of("message")
      .map((item) => textOf(item, "content"))
      .join("");
  }

  get calls(): Screen["calls"] {
    const results = new Map(this.#of("function_call_output").map((item) => [String(item["call_id"]), item]));
    return this.#of("function_call").map((item) => {
      const id = String(item["call_id"] ?? item["id"]);
      const result = results.get(id);
      const call = { id, name: String(item["name"]), state: "executing", result: "" };
      return result ? { ...call, state: stateOf(item, result), result: textOf(result, "output") } : call;
    });
  }

  get asks(): Screen["asks"] {
    return this.#of("function_call")
      .filter(({ status }) => status === "pending" || status === "requires_approval")
      .map((item) => ({ id: String(item["call_id"] ?? item["id"]), call: String(item["call_id"]), isOpen: true }));
  }

  /** An event of the socket about this message. */
  take(type: string, data: Fields): void {
    if (type === "response:completion") return this.#takeItem(data);
    if (type === "chat:message:error") this.#fail(data["error"]);
    if (type !== "chat:completion" && type !== "chat:tasks:cancel") return;
    if (Array.isArray(data["output"])) this.output = listOf(data["output"]).map(fieldsOf);
    if (data["error"] !== undefined) this.#fail(data["error"]);
    if (type === "chat:tasks:cancel") this.end ??= "cancelled";
    if (data["done"] === true) this.end ??= "done";
  }

  /** The message as it is stored. */
  load(message: Fields): void {
    this.output = listOf(message["output"]).map(fieldsOf);
    if (message["error"] !== undefined && message["error"] !== null) this.#fail(message["error"]);
    if (message["done"] === true && this.asks.length === 0) this.end ??= "done";
  }

  #takeItem({ type, output_index: at, item, delta, content_index: place = 0 }: Fields): void {
    if (typeof at !== "number") return;
    if (item !== undefined) this.output[at] = fieldsOf(item);
    if (type !== "response.output_text.delta") return;
    const known = (this.output[at] ??= { type: "message", content: [] });
    const content = listOf(known["content"]).map(fieldsOf);
    const part = content[Number(place)] ?? { type: "output_text", text: "" };
    content[Number(place)] = { ...part, text: `${String(part["text"] ?? "")}${String(delta)}` };
    this.output[at] = { ...known, content };
  }

  #fail(error: unknown): void {
    this.end ??= "error";
    this.problem = typeof error === "string" ? error : JSON.stringify(error);
  }

  #of(type: string): readonly Fields[] {
    return this.output.filter((item) => item?.["type"] === type);
  }
}

const stateOf = ({ status: call }: Fields, { status: result }: Fields): string =>
  call === "failed" || result === "failed" ? "error" : result === "rejected" ? "denied" : "ok";

const textOf = (item: Fields, key: string): string =>
  typeof item[key] === "string"
    ? item[key]
    : listOf(item[key])
        .map(fieldsOf)
        .map(({ text }) => (typeof text === "string" ? text : ""))
        .join("");
