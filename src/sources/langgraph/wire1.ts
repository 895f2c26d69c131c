import { fieldsOf, parseJson } from "../../json.ts";
import type { Frame } from "../../dialect.ts";
import type { Json } from "../../events.ts";
import { lineOf, textOf } from "../upstream/reading.ts";
import type { LangGraphConnection } from "./connection.ts";
import type { Response as Answered } from "./pause.ts";
import type { ProtocolEvent } from "./protocol.ts";
import { Translation } from "./translation.ts";
import type { Start, Wire } from "./wire.ts";

const MODES = ["messages-tuple", "updates", "custom", "values", "tasks"];
/** All events that the server has of a run. */
const BEGINNING = "-1";

/**
 * Version 1: a stream per run, which ends with it. For servers without version 2, and for threads whose last run was
 * stopped or left waiting, where version 2 would treat a new message as an answer.
 */
export class Wire1 implements Wire {
  readonly version = 1;
  readonly #connection: LangGraphConnection;
  #run = "";
  #lastId = BEGINNING;
  #translation = new Translation("");

  constructor(connection: LangGraphConnection) {
    this.#connection = connection;
  }

  async start({ assistant, input, config }: Start): Promise<string> {
    return await this.#create({ assistant_id: assistant, input, config });
  }

  async open(): Promise<Response | undefined> {
    const path = `${this.#connection.path}/runs/${encodeURIComponent(this.#run)}/stream`;
    return await this.#connection.stream(() =>
      this.#connection.send("GET", path, undefined, {
        accept: "text/event-stream",
        "last-event-id": this.#lastId,
      }),
    );
  }

  read({ id, event = "", data }: Frame): ProtocolEvent[] {
    if (id !== undefined && id !== "") this.#lastId = id;
    return this.#translation.frame(event, parseJson(data));
  }

  async closed(): Promise<ProtocolEvent[]> {
    if (this.#translation.hasFailed) return [];
    const stored = await this.#connection.ask(`${this.#connection.path}/runs/${encodeURIComponent(this.#run)}`);
    return this.#translation.end(lineOf(stored?.["status"]) ?? "");
  }

  async respond(answers: readonly Answered[], { assistant, config }: Start): Promise<void> {
    const resume = Object.fromEntries(answers.map(({ interrupt, response }) => [interrupt, response]));
    await this.#create({ assistant_id: assistant, command: { resume }, config });
  }

  async #create(body: { readonly config: Json | undefined; readonly [key: string]: unknown }): Promise<string> {
    const settings = { stream_mode: MODES, stream_subgraphs: true, stream_resumable: true };
    const created = await this.#connection.json("POST", `${this.#connection.path}/runs`, {
      ...body,
      ...settings,
      multitask_strategy: "enqueue",
    });
    this.#run = textOf(fieldsOf(created)["run_id"]) ?? "";
    this.#lastId = BEGINNING;
    this.#translation = new Translation(this.#run);
    return this.#run;
  }
}
