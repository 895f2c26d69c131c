import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ToolContext } from "../../src/tool.ts";
import { type OpenapiOptions, openapi } from "../../src/tools/http.ts";
import { type Seen, type TestServer, startServer } from "./http-server.ts";
import { callTool, recordingContext, textOf, toolNamed } from "./recording-context.ts";

const document = {
  openapi: "3.0.3",
  paths: {
    "/pets/{petId}": {
      parameters: [{ $ref: "#/components/parameters/PetId" }],
      get: { operationId: "getPet", summary: "One pet", description: "By its id." },
      put: {
        operationId: "updatePet",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
        },
      },
    },
    "/pets": {
      get: {
        operationId: "list pets!",
        parameters: [
          {
            name: "tag",
            in: "query",
            schema: { type: "array", items: { type: "string" } },
            description: "Any of these",
          },
          { name: "ids", in: "query", explode: false, schema: { type: "array", items: { type: "integer" } } },
          { name: "filter", in: "query", style: "deepObject", explode: true, schema: { type: "object" } },
          { name: "X-Trace", in: "header", schema: { type: "string" } },
          { name: "session", in: "cookie", schema: { type: "string" } },
          { name: "body", in: "query", schema: { type: "string" } },
        ],
      },
    },
    "/pets/{petId}/photo": { post: { requestBody: { content: { "multipart/form-data": { schema: {} } } } } },
    "/login": {
      post: {
        requestBody: {
          content: {
            "application/x-www-form-urlencoded": {
              schema: { type: "object", properties: { user: { type: "string" } } },
            },
          },
        },
      },
    },
    "/page": { get: { operationId: "page" } },
  },
  components: {
    parameters: { PetId: { name: "petId", in: "path", required: true, schema: { type: "string" } } },
    schemas: {
      Pet: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string", nullable: true, example: "Rex" },
          example: { type: "string", "x-internal": true },
          parent: { $ref: "#/components/schemas/Pet" },
          kind: { type: "string", enum: ["cat", "dog"], default: "cat" },
        },
      },
    },
  },
};

let server: TestServer;
beforeAll(async () => {
  server = await startServer(({ url }, response) => {
    if (url === "/api/page") {
      response
        .setHeader("content-type", "text/html")
        .setHeader("content-disposition", "inline")
        .end("<title>T</title>");
    } else response.setHeader("content-type", "application/json").end('{"ok":true}');
  });
});
afterAll(() => server.close());
beforeEach(() => void (server.seen as Seen[]).splice(0));

const tools = (options: Partial<OpenapiOptions> = {}) =>
  openapi({ document, baseUrl: `${server.url}/api/`, allowPrivate: [server.host], ...options });
const call = async (
  name: string,
  input: object,
  options?: Partial<OpenapiOptions>,
  context?: ToolContext,
): Promise<Seen | undefined> => {
  await callTool(toolNamed(tools(options), name), input, context);
  return server.seen.at(-1);
};

describe("tools from a document", () => {
  test("there is one for each operation that can be called", () => {
    expect(tools().map((tool) => [tool.name, tool.approval])).toEqual([
      ["getPet", "never"],
      ["updatePet", "always"],
      ["list_pets", "never"],
      ["post_login", "always"],
      ["page", "never"],
    ]);
    expect(tools({ operations: ["getPet"], approval: "always" }).map((tool) => [tool.name, tool.approval])).toEqual([
      ["getPet", "always"],
    ]);
    expect(() => tools({ operations: ["getPets"] })).toThrow(
      "no operation getPets that can be called. Available operations: getPet, updatePet",
    );
    expect(toolNamed(tools(), "getPet").description).toBe("One pet\n\nBy its id.");
    expect(toolNamed(tools(), "post_login").description).toBe("POST /login");
  });

  test("each has a self-contained schema", () => {
    const schemaOf = (name: string) => (toolNamed(tools(), name).input as { jsonSchema: unknown }).jsonSchema;
    expect(schemaOf("updatePet")).toEqual({
      type: "object",
      required: ["petId", "body"],
      additionalProperties: false,
      properties: {
        petId: { type: "string" },
        body: {
          type: "object",
          required: ["name"],
          properties: {
            name: { type: ["string", "null"] },
            example: { type: "string" },
            parent: {},
            kind: { type: "string", enum: ["cat", "dog"], default: "cat" },
          },
        },
      },
    });
    const listed = schemaOf("list_pets") as { properties: Record<string, object> };
    expect(Object.keys(listed.properties)).toEqual(["tag", "ids", "filter", "X-Trace", "session", "query_body"]);
    expect(listed.properties["tag"]).toEqual({ type: "array", items: { type: "string" }, description: "Any of these" });
  });
});

describe("requests", () => {
  test("put every value in its place, encoded", async () => {
    const input = {
      tag: ["a&b", "c d"],
      ids: [1, 2],
      filter: { "a=": "1#2" },
      "X-Trace": "t",
      session: "s;x=1",
      query_body: "é",
    };
    const seen = await call("list_pets", input);
    expect(seen).toMatchObject({
      method: "GET",
      url: "/api/pets?tag=a%26b&tag=c%20d&ids=1,2&filter%5Ba%3D%5D=1%232&body=%C3%A9",
      headers: { "x-trace": "t", cookie: "session=s%3Bx%3D1" },
    });
    expect(await call("updatePet", { petId: "1", body: { name: "Rex" } })).toMatchObject({
      method: "PUT",
      body: '{"name":"Rex"}',
      headers: { "content-type": "application/json" },
    });
    expect(await call("post_login", { body: { user: "a b&c", roles: ["x", "y"] } })).toMatchObject({
      body: "user=a%20b%26c&roles=x&roles=y",
    });
  });

  test.each([
    ["a/../../admin", "/api/pets/a%2F..%2F..%2Fadmin"],
    ["../admin", "/api/pets/..%2Fadmin"],
    ["a?b#c", "/api/pets/a%3Fb%23c"],
    ["%2e%2e", "/api/pets/%252e%252e"],
    ["$&{petId}", "/api/pets/%24%26%7BpetId%7D"],
    ["@evil.example", "/api/pets/%40evil.example"],
    ["...", "/api/pets/..."],
    ["\ud800", "/api/pets/%EF%BF%BD"],
  ])("the path value %j stays one segment", async (petId, url) => {
    expect((await call("getPet", { petId }))!.url).toBe(url);
  });

  test.each([[{ petId: ".." }], [{ petId: "." }], [{ petId: "" }], [{}]])(
    "the path value of %j is refused",
    async (input) => {
      await expect(call("getPet", input)).rejects.toThrow("cannot be part of a path");
      expect(server.seen).toEqual([]);
    },
  );

  test("carry the API's own headers, which cannot be replaced, and reach no private address unless allowed", async () => {
    const headers = (context: ToolContext) => ({ Authorization: `Bearer ${context.run}` });
    expect((await call("getPet", { petId: "1" }, { headers }))!.headers.authorization).toBe("Bearer run-1");
    expect(
      (await call("list_pets", { "X-Trace": "mine" }, { headers: { "X-Trace": "ours" } }))!.headers["x-trace"],
    ).toBe("ours");
    await expect(call("list_pets", { "X-Trace": "a\r\nb: c" })).rejects.toThrow("cannot be sent");
    await expect(call("getPet", { petId: "1" }, { allowPrivate: [] })).rejects.toThrow("private network");
  });

  test("return JSON, and show inline HTML", async () => {
    expect(textOf(await callTool(toolNamed(tools(), "getPet"), { petId: "1" }))).toBe(
      '{"type":"json","value":{"ok":true}}',
    );
    const context = recordingContext();
    await call("page", {}, {}, context);
    const html = expect.stringMatching(/^<!doctype html><base href="[^"]*\/api\/page"><title>T<\/title>$/);
    expect(context.emitted).toEqual([{ type: "embed", html, title: "T" }]);
  });
});
