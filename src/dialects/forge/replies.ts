import { z } from "zod";
import { type DialectRequest, type Route, type ServerFacts, TextReply } from "../../dialect.ts";
import { messageOf } from "../../message-of.ts";
import { Refusal, type ToolFacts } from "../../source.ts";
import { nameOfAgent, OURS } from "./model-name.ts";
import { readPageAddress } from "./page-address.ts";
import { parse } from "./request.ts";

interface PlainRoute extends Pick<Route, "method" | "path" | "summary" | "body"> {
  readonly reply: (facts: ServerFacts, request: DialectRequest) => unknown;
}

const validateSchema = z.object({ url: z.string(), api_key: z.string().nullish() });

/** The other endpoints of Forge's page. Our agents are the models that it offers. */
export const replies: readonly PlainRoute[] = [
  {
    method: "GET",
    path: "/health",
    summary: "Whether the server responds, for Forge's page.",
    reply: () => ({ status: "ok", armory_available: true }),
  },
  {
    method: "GET",
    path: "/config",
    summary: "Which providers the agents use, for Forge's page.",
    reply: (facts, request) => {
      const used = new Set(
        agentsOf(facts, request).flatMap(({ model, models = [] }) => [model, ...models].map(ownerOf)),
      );
      const providers = ["openrouter", "openai", "anthropic", "google"];
      return {
        server_providers: Object.fromEntries(providers.map((name) => [name, used.has(name)])),
        allow_byok: true,
      };
    },
  },
  {
    method: "GET",
    path: "/tools",
    summary: "The agents' known tools.",
    reply: (facts, request) => toolsOf(facts, request).map(toolOf),
  },
  {
    method: "POST",
    path: "/tools/refresh",
    summary: "The number of tools.",
    reply: (facts, request) => ({ status: "refreshed", tool_count: toolsOf(facts, request).length }),
  },
  {
    method: "GET",
    path: "/api/resources",
    summary: "A page that a call embeds, by the address that its result names.",
    reply: async ({ embed }, { query }) => {
      const address = readPageAddress(query.get("uri") ?? "");
      const page = address && (await embed?.(address.run, address.embed));
      if (!page)
        throw new Refusal("unknown-resource", "there is no such page", {
          status: 404,
          hint: "ask for the resourceUri of a tool_result",
        });
      return new TextReply("html" in page ? page.html : framed(page.url));
    },
  },
  {
    method: "GET",
    path: "/models",
    summary: "The agents, and the models that a request can choose.",
    reply: (facts, request) => {
      const models = modelsOf(facts, request).filter(fits(request.query));
      return { providers: models.length > 0 ? [OURS] : [], models, cached_at: null };
    },
  },
  {
    method: "POST",
    path: "/models/refresh",
    summary: "The number of agents and models.",
    reply: (facts, request) => {
      const { length } = modelsOf(facts, request);
      return { status: "refreshed", model_count: length, provider_count: length > 0 ? 1 : 0 };
    },
  },
  {
    method: "GET",
    path: "/models/grouped",
    summary: "The agents and their models, for a menu.",
    reply: (facts, request) => {
      const [first] = agentsOf(facts, request);
      const chat = modelsOf(facts, request).map(({ id, name }) => ({
        id,
        display_name: name,
        category: "chat",
        // The page does not offer to remove models from this source, and the configuration defines ours.
        source: "api",
        capabilities: { tools: true, vision: false, reasoning: true },
        favorited: false,
        added_at: "1970-01-01T00:00:00Z",
      }));
      return {
        providers: { [OURS]: { chat, embedding: [], other: [] } },
        favorites: [],
        recent: [],
        default_model: first ? { provider: OURS, model_id: nameOfAgent(first.name) } : null,
      };
    },
  },
  {
    method: "GET",
    path: "/models/suggestions/:provider",
    summary: "Models that could be added to a provider.",
    reply: (facts, request) => {
      const provider = request.params["provider"] ?? "";
      const models = provider === OURS ? modelsOf(facts, request) : [];
      const suggestions = models.map(({ id, name }) => ({ id, display_name: name, recommended: false }));
      return { provider, suggestions };
    },
  },
  {
    method: "GET",
    path: "/providers",
    summary: "Providers whose models can be managed: none, because the configuration defines them.",
    // The page's model manager offers to add and remove models for each provider in this list.
    reply: () => ({ providers: [] }),
  },
  {
    method: "POST",
    path: "/mcp/validate",
    summary: "Whether an MCP server can be reached, and its tools.",
    body: () => z.toJSONSchema(validateSchema, { io: "input" }),
    reply: async ({ validateServer }, { body }) => {
      const { url, api_key: key } = parse(validateSchema, body);
      if (!isWebAddress(url))
        return invalid("That is not a server's address. Use one that starts with http:// or https://.");
      if (!validateServer) return invalid("This server does not check MCP servers; a run will try to reach it.");
      try {
        const tools = await validateServer({ url, ...(key && { key }) });
        return { valid: true, tool_count: tools.length, tools: tools.map(toolOf) };
      } catch (error) {
        return invalid(messageOf(error));
      }
    },
  },
];

/** The client shows only documents, so wrap the URL in one. */
const framed = (url: string): string =>
  `<!doctype html><style>html,body,iframe{margin:0;width:100%;height:100%;border:0}</style><iframe src="${url.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe>`;

const isWebAddress = (url: string): boolean => /^https?:$/.test(URL.parse(url)?.protocol ?? "");

const invalid = (error: string) => ({ valid: false, tool_count: 0, tools: [], error });

/** The agent named in the path, or all agents, the default first. */
const agentsOf = ({ agents, defaultAgent }: ServerFacts, { params }: DialectRequest): ServerFacts["agents"] => {
  const name = params["agent"];
  if (name === undefined)
    return agents.toSorted((one, other) => Number(other.name === defaultAgent) - Number(one.name === defaultAgent));
  const found = agents.filter((agent) => agent.name === name);
  if (found.length > 0) return found;
  throw new Refusal("unknown-agent", `there is no agent ${name.slice(0, 100)}`, {
    status: 404,
    hint: `use one of ${agents.map((agent) => agent.name).join(", ")}`,
  });
};

const toolsOf = (facts: ServerFacts, request: DialectRequest): readonly ToolFacts[] => {
  const tools = agentsOf(facts, request).flatMap((agent) => agent.tools ?? []);
  return [...new Map(tools.map((tool) => [tool.name, tool])).values()];
};

/** The page reads `inputSchema`, MCP's name. The server's own documentation uses `input_schema`. */
const toolOf = ({ name, description = "", schema = { type: "object" } }: ToolFacts) => ({
  name,
  description,
  input_schema: schema,
  inputSchema: schema,
});

const modelsOf = (facts: ServerFacts, request: DialectRequest) =>
  agentsOf(facts, request).flatMap(({ name, models = [] }) =>
    [undefined, ...models].map((model) => ({
      id: nameOfAgent(name, model),
      name: model === undefined ? name : `${name} · ${model}`,
      provider: OURS,
      // Unknown here. The page treats 0 as unknown.
      context_length: 0,
      pricing: { prompt: 0, completion: 0 },
      supports_tools: true,
      supports_vision: false,
    })),
  );

const fits = (query: URLSearchParams) => (model: ReturnType<typeof modelsOf>[number]) =>
  (query.get("provider") ?? model.provider) === model.provider &&
  (query.get("supports_tools") ?? "true") === `${model.supports_tools}` &&
  (query.get("supports_vision") ?? "false") === `${model.supports_vision}`;

const ownerOf = (model: string | undefined): string | undefined => model?.split("/")[0];
