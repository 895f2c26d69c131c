import { randomUUID } from "node:crypto";
import { WebSocket } from "ws";
import { type Fields, fieldsOf, parseJson } from "../../../../src/json.ts";
import { messageOf } from "../../../../src/message-of.ts";
import type { Driver, Line, Viewer } from "../../../../src/torture.ts";
import { OutputScreen } from "./output-screen.ts";

/**
 * Open WebUI's page: it posts a message, gets the answer over Socket.IO, and requests the chat when it is loaded or its
 * socket was cut. `prepare` creates an account with the kit's tools, once, and returns its token.
 */
export const openWebUi = (url: string, prepare: () => Promise<string>): Driver => {
  let prepared: Promise<string> | undefined;
  /** If it fails, the next trial tries again. */
  const token = () =>
    (prepared ??= prepare().catch((error: unknown) => {
      prepared = undefined;
      throw error;
    }));
  return {
    name: "open-webui",
    cannot: { agent: "its page chooses models, not agents" },
    converse: ({ id, asks }) => {
      const page = new Page(url, token, id ?? "");
      const params = {
        function_calling: "native",
        tool_approval_mode: asks ? "ask" : "full",
        // As Runcast's agent in the trials: text is not searched for a model's thinking.
        reasoning_tags: false,
      };
      return {
        get id() {
          return page.chat;
        },
        send: (message, line) => page.view(line, (session) => page.start(line, message, session, params)),
        resume: (_, line) => page.view(line, () => page.load(line)),
        follow: (line) => page.view(line, () => page.load(line)),
        cancel: async (line) => void (await page.ask(line, "POST", `/api/tasks/chat/${page.chat}/stop`)),
        answer: async (viewer, ask, allow, line) => {
          const body = { call_id: ask, action: allow ? "approve" : "reject" };
          await page.ask(line, "POST", `/api/v1/chats/${page.chat}/messages/${page.message}/resolve`, body);
          return viewer;
        },
        post: async (body, line) =>
          await line.fetch(`${url}/api/chat/completions`, { method: "POST", headers: await page.headers(), body }),
      };
    },
  };
};

/** One tab with a chat. */
class Page {
  message: string = randomUUID();
  chat: string;
  readonly url: string;
  readonly token: () => Promise<string>;
  readonly #user = randomUUID();

  constructor(url: string, token: () => Promise<string>, chat: string) {
    this.url = url;
    this.token = token;
    this.chat = chat;
  }

  async headers(): Promise<Record<string, string>> {
    return { "content-type": "application/json", authorization: `Bearer ${await this.token()}` };
  }

  async ask(line: Line, method: string, path: string, body?: object): Promise<Fields> {
    const init = { method, headers: await this.headers(), ...(body && { body: JSON.stringify(body) }) };
    const response = await line.fetch(this.url + path, init);
    const text = await response.text();
    if (!response.ok) throw Object.assign(new Error(text), { status: response.status });
    return fieldsOf(parseJson(text));
  }

  async start(line: Line, text: string, session: string, params: object): Promise<Fields> {
    const asked = { id: this.#user, role: "user", content: text, models: ["scripted"] };
    const { chat_id: chat } = await this.ask(line, "POST", "/api/chat/completions", {
      model: "scripted",
      messages: [{ role: "user", content: text }],
      user_message: asked,
      parent_id: null,
      id: this.message,
      session_id: session,
      stream: true,
      tool_ids: ["kit"],
      params,
    });
    this.chat = String(chat);
    return {};
  }

  /** The part of the answer that the server has. */
  async load(line: Line): Promise<Fields> {
    const { chat } = await this.ask(line, "GET", `/api/v1/chats/${this.chat}`);
    const { currentId, messages } = fieldsOf(fieldsOf(chat)["history"]);
    this.message = String(currentId);
    return fieldsOf(fieldsOf(messages)[this.message]);
  }

  view(line: Line, begin: (session: string) => Promise<Fields>): Viewer {
    return new SocketViewer(this, line, begin);
  }
}

/** Shows a chat over one socket. */
class SocketViewer implements Viewer {
  readonly screen = new OutputScreen();
  status: number | undefined;
  refusal: string | undefined;
  isOver = false;
  readonly over: Promise<void>;
  readonly #waiting = new Set<() => void>();
  /** Events that arrive before the chat is loaded. */
  #early: [message: string, type: string, data: Fields][] | undefined = [];
  #socket: WebSocket | undefined;

  constructor(page: Page, line: Line, begin: (session: string) => Promise<Fields>) {
    this.over = this.#show(page, line, begin)
      .catch((error: unknown) => {
        this.refusal ??= messageOf(error);
        this.status ??= (error as { status?: number }).status;
      })
      .finally(() => {
        this.isOver = true;
        this.#socket?.terminate();
        this.#wake();
      });
  }

  until(isShown: (screen: OutputScreen) => boolean, withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const look = () => {
        if (isShown(this.screen)) end(true);
        else if (this.isOver) end(false);
      };
      const end = (value: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(value);
      };
      const timer = setTimeout(() => end(false), withinMs);
      this.#waiting.add(look);
      look();
    });
  }

  close(): void {
    this.#socket?.terminate();
  }

  async #show(page: Page, line: Line, begin: (session: string) => Promise<Fields>): Promise<void> {
    const token = await page.token();
    const address = `${page.url.replace(/^http/, "ws")}/ws/socket.io/?EIO=4&transport=websocket`;
    const createConnection = () => line.connect(page.url, "GET /ws/socket.io/ (WebSocket)");
    const socket = new WebSocket(address, { createConnection: createConnection as never, perMessageDeflate: false });
    this.#socket = socket;
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.on("error", (error) => (this.refusal ??= error.message));
    const joined = Promise.withResolvers<string>();
    void closed.then(() => joined.reject(new Error(this.refusal ?? "the socket closed")));
    socket.on("message", (bytes: Buffer) => this.#take(String(bytes), page, token, joined.resolve));
    const message = await begin(await joined.promise);
    this.status = 200;
    if (Object.keys(message).length > 0) this.screen.load(message);
    for (const [of, type, data] of this.#early ?? []) if (of === page.message) this.screen.take(type, data);
    this.#early = undefined;
    this.#wake();
    if (this.screen.end === undefined)
      await Promise.race([closed, this.until(({ end }) => end !== undefined, 2 ** 30)]);
  }

  /** An Engine.IO packet that contains a Socket.IO packet. */
  #take(packet: string, page: Page, token: string, join: (session: string) => void): void {
    const send = (text: string) => this.#socket?.send(text);
    if (packet === "2") return send("3");
    if (packet.startsWith("0")) return send(`40${JSON.stringify({ token })}`);
    if (packet.startsWith("40")) {
      send(`42${JSON.stringify(["user-join", { auth: { token } }])}`);
      return join(String(fieldsOf(parseJson(packet.slice(2)))["sid"]));
    }
    const [, body] = /^42\d*(\[[^]*)$/.exec(packet) ?? [];
    const [name, event] = (body === undefined ? [] : (parseJson(body) as unknown[])) ?? [];
    const { message_id: message, data } = fieldsOf(event);
    if (name !== "events" || (message !== page.message && !this.#early)) return;
    const { type, data: fields } = fieldsOf(data);
    if (this.#early) return void this.#early.push([String(message), String(type), fieldsOf(fields)]);
    this.screen.take(String(type), fieldsOf(fields));
    this.#wake();
  }

  #wake(): void {
    for (const look of this.#waiting) look();
  }
}
