import { fieldsOf, parseJson } from "../../json.ts";
import type { Frame } from "../../dialect.ts";
import type { Json } from "../../events.ts";
import { Refusal } from "../../source.ts";
import { lineOf, textOf } from "../upstream/reading.ts";
import type { LangGraphConnection } from "./connection.ts";
import type { Response as Answered } from "./pause.ts";
import { type ProtocolEvent, protocolEventOf } from "./protocol.ts";

/** The parameters of a run: an assistant, its input, and settings for the graph. */
export interface Start {
  readonly assistant: string;
  readonly input: Json;
  readonly config: Json | undefined;
}

/** One version of the protocol: how to start, read and answer a run, and how to detect its end. */
export interface Wire {
  readonly version: 1 | 2;
  /** Returns the id of the run. */
  start(start: Start): Promise<string>;
  /** Opens the stream after the last event that was read. Undefined if the retries time out. */
  open(): Promise<Response | undefined>;
  read(frame: Frame): ProtocolEvent[];
  /** The stream has ended. Returns events that describe the state of the run. */
  closed(): Promise<ProtocolEvent[]>;
  /** Sends the answers of an interrupted run, so it continues. */
  respond(answers: readonly Answered[], start: Start): Promise<void>;
}

const CHANNELS = ["messages", "tools", "lifecycle", "input", "values", "custom"];
const MAX_BAD_FRAMES = 20;

/** Version 2: commands, and one stream of events per thread, which never ends. */
export class Wire2 implements Wire {
  readonly version = 2;
  readonly #connection: LangGraphConnection;
  #commands = 0;
  #since = 0;
  #badFrames = 0;

  constructor(connection: LangGraphConnection) {
    this.#connection = connection;
  }

  /** Throws a Refusal with the status 404 if the server does not support version 2. */
  async start({ assistant, input, config }: Start): Promise<string> {
    const params = { assistant_id: assistant, input, ...(config !== undefined && { config }) };
    return textOf(fieldsOf(await this.#command("run.start", params))["run_id"]) ?? "";
  }

  async open(): Promise<Response | undefined> {
    const { path } = this.#connection;
    const body = { channels: CHANNELS, ...(this.#since > 0 && { since: this.#since }) };
    const headers = { accept: "text/event-stream" };
    return await this.#connection.stream(() => this.#connection.send("POST", `${path}/stream/events`, body, headers));
  }

  read({ data }: Frame): ProtocolEvent[] {
    const event = protocolEventOf(parseJson(data));
    if (!event) {
      if (++this.#badFrames > MAX_BAD_FRAMES)
        throw new Refusal("upstream-invalid", "The server sent data that cannot be read.", { status: 502 });
      return [];
    }
    if (event.seq !== undefined) {
      if (event.seq <= this.#since) return [];
      this.#since = event.seq;
    }
    return [event];
  }

  async closed(): Promise<ProtocolEvent[]> {
    return [];
  }

  async respond(answers: readonly Answered[], { config }: Start): Promise<void> {
    const responses = answers.map(({ interrupt, namespace, response }) => ({
      interrupt_id: interrupt,
      namespace,
      response,
    }));
    await this.#command("input.respond", { responses, ...(config !== undefined && { config }) });
  }

  async #command(method: string, params: Json | object): Promise<unknown> {
    const body = { id: ++this.#commands, method, params };
    const answer = await this.#connection.json("POST", `${this.#connection.path}/commands`, body);
    if (answer["type"] !== "error") return answer["result"];
    const text = lineOf(answer["message"], 2000) ?? "The server refused the command.";
    // The message starts with the HTTP status that the server's API would have used.
    const [, status, message = text] = /^(4\d\d): (.+)$/.exec(text) ?? [];
    const isUnsupported = answer["error"] === "unsupported";
    throw new Refusal("upstream-refused", message, { status: isUnsupported ? 404 : Number(status ?? 502) });
  }
}
