/** Headers of a connection that describe each request. Open WebUI fills them in. */
export const FORWARDED = {
  "X-OpenWebUI-Chat-Id": "{{CHAT_ID}}",
  "X-OpenWebUI-Message-Id": "{{MESSAGE_ID}}",
  "X-OpenWebUI-User-Message-Id": "{{USER_MESSAGE_ID}}",
  "X-OpenWebUI-User-Message-Parent-Id": "{{USER_MESSAGE_PARENT_ID}}",
  "X-OpenWebUI-Task": "{{TASK}}",
};

export interface Connection {
  readonly url: string;
  readonly key?: string;
  readonly headers?: Record<string, string>;
  /** Default: those that the server lists. */
  readonly models?: readonly string[];
}

export interface ModelSettings {
  readonly mode?: "native" | "legacy";
  /** Open WebUI's own tools. Default: false, because an agent has its own. */
  readonly builtinTools?: boolean;
}

export interface StoredMessage {
  readonly id: string;
  readonly role: string;
  readonly content: string;
  readonly done?: boolean;
  readonly output?: readonly Record<string, unknown>[];
  readonly [key: string]: unknown;
}

export interface Account {
  readonly token: string;
  readonly user: string;
  request<T = unknown>(method: "GET" | "POST", path: string, body?: unknown): Promise<T>;
  /** Replaces all connections. */
  connect(...connections: readonly Connection[]): Promise<void>;
  models(): Promise<string[]>;
  /** Installs or replaces a function and enables it. */
  install(id: string, python: string, valves?: Record<string, unknown>): Promise<void>;
  setModel(id: string, settings: ModelSettings): Promise<void>;
  /** The stored messages of a chat, oldest first. */
  messages(chat: string): Promise<StoredMessage[]>;
  /** Whether the chat's last answer has ended. */
  isDone(chat: string): Promise<boolean>;
}

/** Signs up on a new server, where the first account is the administrator's, or signs in on one that knows it. */
export const signIn = async (url: string, name = "Ada"): Promise<Account> => {
  const account = { name, email: `${name.toLowerCase()}@example.test`, password: "correct horse battery" };
  const { onboarding } = await call<{ onboarding?: boolean }>(`${url}/api/config`, "GET");
  const path = onboarding ? "signup" : "signin";
  const { token, id } = await call<{ token: string; id: string }>(`${url}/api/v1/auths/${path}`, "POST", account);
  const request: Account["request"] = (method, target, body) => call(url + target, method, body, token);
  return { token, user: id, request, ...commands(request) };
};

const commands = (request: Account["request"]): Omit<Account, "token" | "user" | "request"> => ({
  async connect(...connections) {
    await request("POST", "/openai/config/update", {
      ENABLE_OPENAI_API: true,
      OPENAI_API_BASE_URLS: connections.map((connection) => connection.url),
      OPENAI_API_KEYS: connections.map(({ key = "none" }) => key),
      OPENAI_API_CONFIGS: Object.fromEntries(
        connections.map(({ headers, models }, index) => [
          String(index),
          { enable: true, ...(headers && { headers }), ...(models && { model_ids: models }) },
        ]),
      ),
    });
    await request("GET", "/api/models?refresh=true");
  },
  async models() {
    const { data } = await request<{ data: { id: string }[] }>("GET", "/api/models");
    return data.map(({ id }) => id);
  },
  async install(id, python, valves) {
    const known = await request<{ id: string; is_active: boolean }[]>("GET", "/api/v1/functions/");
    const form = { id, name: id, content: python, meta: { description: id } };
    const found = known.find((candidate) => candidate.id === id);
    await request("POST", found ? `/api/v1/functions/id/${id}/update` : "/api/v1/functions/create", form);
    if (!found?.is_active) await request("POST", `/api/v1/functions/id/${id}/toggle`);
    if (valves) await request("POST", `/api/v1/functions/id/${id}/valves/update`, valves);
    await request("GET", "/api/models?refresh=true");
  },
  async setModel(id, { mode, builtinTools = false }) {
    const { data } = await request<{ data: { id: string; name?: string; info?: unknown }[] }>("GET", "/api/models");
    const known = data.find((model) => model.id === id);
    const form = {
      id,
      name: known?.name ?? id,
      base_model_id: null,
      meta: { capabilities: { builtin_tools: builtinTools } },
      params: { ...(mode && { function_calling: mode }) },
      access_grants: [],
      is_active: true,
    };
    await request("POST", known?.info !== undefined ? "/api/v1/models/model/update" : "/api/v1/models/create", form);
    await request("GET", "/api/models?refresh=true");
  },
  async messages(chat) {
    type Stored = { chat: { history: { messages: Record<string, StoredMessage & { timestamp?: number }> } } };
    const stored = await request<Stored>("GET", `/api/v1/chats/${chat}`);
    return Object.values(stored.chat.history.messages);
  },
  async isDone(chat) {
    const { task_ids: running } = await request<{ task_ids: string[] }>("GET", `/api/tasks/chat/${chat}`);
    const answers = (await this.messages(chat)).filter(({ role }) => role === "assistant");
    return running.length === 0 && answers.at(-1)?.done === true;
  },
});

const call = async <T>(url: string, method: "GET" | "POST", body?: unknown, token?: string): Promise<T> => {
  const response = await fetch(url, {
    method,
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${text.slice(0, 1000)}`);
  return JSON.parse(text) as T;
};
