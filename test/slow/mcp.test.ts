import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import type { Event } from "../../src/events.ts";
import { agent } from "../../src/sources/agent.ts";
import { mcp } from "../../src/tools/mcp.ts";
import { playing, script } from "../drive.ts";
import { setUp, untilEnd } from "../running.ts";
import {
  type Call,
  calling,
  directory,
  everything,
  everythingHttp,
  filesystem,
  textOf,
  toolkit,
} from "../tools/mcp-servers.ts";

/** One server for the tests that leave no state in it. */
const shared = mcp({ servers: { all: { ...everything(), env: { GREETING: "hello from the configuration" } } } });
afterAll(() => shared.close());

const one = async (call: Call, on?: Parameters<typeof calling>[2]) => {
  const result = await calling(shared, [[call]], on);
  expect(result.ends).toHaveLength(1);
  return { ...result, end: result.ends[0]! };
};

describe("server-everything by stdio", () => {
  test("offers these tools, with their titles and schemas unchanged", async () => {
    const { requests, all } = await calling(toolkit({ servers: { all: everything() } }), [
      [["all__echo", { message: "x" }]],
    ]);
    expect(requests[0]?.tools?.map(({ name }) => name).toSorted()).toEqual(
      [
        "echo",
        "get-annotated-message",
        "get-env",
        "get-resource-links",
        "get-resource-reference",
        "get-structured-content",
        "get-sum",
        "get-tiny-image",
        "gzip-file-as-resource",
        "simulate-research-query",
        "toggle-simulated-logging",
        "toggle-subscriber-updates",
        "trigger-elicitation-request",
        "trigger-long-running-operation",
        "trigger-url-elicitation",
      ].map((name) => `all__${name}`),
    );
    expect(requests[0]?.tools?.find(({ name }) => name === "all__get-sum")).toMatchObject({
      description: "Returns the sum of two numbers",
      inputSchema: {
        type: "object",
        required: ["a", "b"],
        properties: { a: { type: "number", description: "First number" } },
      },
    });
    expect(all("tool-start")[0]).toMatchObject({ name: "all__echo", title: "Echo Tool" });
    expect(all("notice")).toEqual([]);
  });

  test("many calls of one step and of several share one server", async () => {
    const server = everything();
    const tools = toolkit({ servers: { all: server } });
    const sums = [1, 2, 3, 4].map((a): Call => ["all__get-sum", { a, b: 1 }]);
    const first = await calling(tools, [sums, [["all__echo", { message: "again" }]]]);
    const pid = server.pid();
    expect(first.ends.slice(0, 4).map(textOf).toSorted()).toEqual(
      [1, 2, 3, 4].map((a) => `The sum of ${a} and 1 is ${a + 1}.`),
    );
    expect(textOf(first.ends[4])).toBe("Echo: again");
    await calling(tools, [sums]);
    expect(server.pid()).toBe(pid);
  });

  test("invalid arguments never reach it", async () => {
    const { end, typesOf } = await one(["all__get-sum", { a: "one", b: 2 }]);
    expect(end).toMatchObject({ outcome: "error", error: { code: "invalid-input" } });
    expect(typesOf(end.call)).not.toContain("tool-execute");
  });

  test("its environment is that of the configuration", async () => {
    const { end } = await one(["all__get-env"]);
    const given = JSON.parse(textOf(end)) as Record<string, string>;
    expect(given["GREETING"]).toBe("hello from the configuration");
    expect(given["VITEST"]).toBeUndefined();
  });

  test("images become files", async () => {
    const { end, files } = await one(["all__get-tiny-image"]);
    expect(end.content).toMatchObject([
      { type: "text", text: "Here's the image you requested:" },
      { type: "file", mediaType: "image/png" },
      { type: "text", text: "The image above is the MCP logo." },
    ]);
    const [, image] = end.content!;
    const bytes = files.get(image?.type === "file" ? image.file : "") as Uint8Array;
    expect([...bytes.slice(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  });

  test.each(["error", "success", "debug"])("annotated messages: %s", async (messageType) => {
    const { end } = await one(["all__get-annotated-message", { messageType, includeImage: true }]);
    expect(end.outcome).toBe("ok");
    expect(end.content?.map(({ type }) => type)).toEqual(["text", "file"]);
    expect(textOf(end)).toMatch(
      { error: /^Error: Operation failed/, success: /^Operation completed/, debug: /^Debug: Cache/ }[messageType]!,
    );
  });

  test("resource links become links", async () => {
    const { end } = await one(["all__get-resource-links", { count: 2 }]);
    expect(end.content?.slice(1)).toEqual([
      { type: "link", url: "demo://resource/dynamic/blob/1", title: "Blob Resource 1", mediaType: expect.any(String) },
      { type: "link", url: "demo://resource/dynamic/text/2", title: "Text Resource 2", mediaType: "text/plain" },
    ]);
  });

  test("embedded resources become text or a file", async () => {
    const text = await one(["all__get-resource-reference", { resourceType: "Text", resourceId: 2 }]);
    expect(text.end.content?.[1]).toMatchObject({ type: "text", text: expect.stringContaining("Resource 2") });
    const blob = await one(["all__get-resource-reference", { resourceType: "Blob", resourceId: 1 }]);
    const [, file] = blob.end.content!;
    expect(file).toMatchObject({ type: "file", name: "1" });
    expect(String(blob.files.get(file?.type === "file" ? file.file : ""))).toContain("Resource 1");
  });

  test("a gzipped file, as a resource and as a link", async () => {
    const data = `data:text/plain,${"lantern".repeat(20)}`;
    const { end, files } = await one(["all__gzip-file-as-resource", { name: "a.gz", data, outputType: "resource" }]);
    const [file] = end.content!;
    expect(file).toMatchObject({ type: "file", mediaType: "application/gzip", name: "a.gz" });
    const bytes = files.get(file?.type === "file" ? file.file : "") as Uint8Array;
    expect(gunzipSync(bytes).toString()).toBe("lantern".repeat(20));
    const link = await one(["all__gzip-file-as-resource", { name: "b.gz", data, outputType: "resourceLink" }]);
    expect(link.end.content).toMatchObject([{ type: "link", title: "b.gz", mediaType: "application/gzip" }]);
  });

  test("structured content is the value", async () => {
    const { end } = await one(["all__get-structured-content", { location: "Chicago" }]);
    expect(end.value).toEqual({ temperature: 36, conditions: "Light rain / drizzle", humidity: 82 });
    expect(JSON.parse(textOf(end))).toEqual(end.value);
  });

  test("the toggles", async () => {
    const tools = toolkit({ servers: { all: everything() } });
    const toggles: Call[] = [["all__toggle-simulated-logging"], ["all__toggle-subscriber-updates"]];
    const { ends } = await calling(tools, [[toggles[0]!], [toggles[1]!], [toggles[0]!], [toggles[1]!]]);
    expect(ends.map((end) => textOf(end).split(" ")[0])).toEqual(["Started", "Started", "Stopped", "Stopped"]);
  });

  test("roots, if there are any", async () => {
    const tools = toolkit({ servers: { all: everything() }, roots: ["file:///workspace/lantern"] });
    const { ends } = await calling(tools, [[["all__get-roots-list"]]]);
    expect(textOf(ends[0])).toContain("URI: file:///workspace/lantern");
  });

  test("progress becomes progress", async () => {
    const { end, all } = await one(["all__trigger-long-running-operation", { duration: 0.2, steps: 4 }]);
    expect(textOf(end)).toBe("Long running operation completed. Duration: 0.2 seconds, Steps: 4.");
    expect(all("tool-progress").map(({ fraction }) => fraction)).toEqual([0.25, 0.5, 0.75, 1]);
  });

  test("a cancelled call ends immediately, and the server is available for the next", async () => {
    const server = everything();
    const tools = toolkit({ servers: { all: server } });
    const { ends } = await calling(
      tools,
      [
        [["all__trigger-long-running-operation", { duration: 600, steps: 6000 }]],
        [["all__echo", { message: "after" }]],
      ],
      (event, { cancel }) => void (event.type === "tool-progress" && cancel("call", event.call)),
    );
    expect(ends.map(({ outcome }) => outcome)).toEqual(["cancelled", "ok"]);
    expect(textOf(ends[1])).toBe("Echo: after");
  });

  test("a task reports its progress, and asks", async () => {
    const { end, all } = await one(
      ["all__simulate-research-query", { topic: "python", ambiguous: true }],
      (event, { answer }) => {
        if (event.type === "ask-start") answer(event.ask, { value: "snake" });
      },
    );
    expect(end.outcome).toBe("ok");
    expect(textOf(end)).toContain("# Research Report: python (snake)");
    expect(all("tool-progress")[0]?.note).toBe("Gathering sources...");
    expect(all("ask-start")[0]).toMatchObject({ kind: "input", title: "all asks", call: end.call });
  });
});

describe("elicitation", () => {
  const form: Call = ["all__trigger-elicitation-request"];
  const link: Call = ["all__trigger-url-elicitation", { url: "http://127.0.0.1/sign-in", message: "Sign in" }];
  const answering =
    (
      answer: Parameters<Parameters<typeof calling>[2] & object>[1]["answer"] extends (
        ask: string,
        answer: infer Given,
      ) => void
        ? Given
        : never,
    ) =>
    (event: Event, driving: { answer(ask: string, given: typeof answer): void }) =>
      void (event.type === "ask-start" && driving.answer(event.ask, answer));

  test("a form is an ask with its schema, and the values go back", async () => {
    const { end, all } = await one(form, answering({ value: { name: "Ada", integer: 7, check: true } }));
    const [ask] = all("ask-start");
    expect(ask).toMatchObject({
      kind: "input",
      title: "all asks",
      message: "Please provide inputs for the following fields:",
    });
    expect(ask?.schema).toMatchObject({ type: "object", required: ["name"], properties: { name: { type: "string" } } });
    expect(textOf(end)).toContain("- Name: Ada\n- Agreed to terms: true\n- Favorite Integer: 7");
  });

  test("declined, and not answered", async () => {
    expect(textOf((await one(form, answering({ allow: false }))).end)).toContain("User declined");
    expect(textOf((await one(form, answering("expired"))).end)).toContain("User cancelled");
  });

  test("a link to open", async () => {
    const { end, all } = await one(link, answering({ value: "accept" }));
    expect(all("ask-start")[0]).toMatchObject({
      kind: "choice",
      message: "Sign in\n\nhttp://127.0.0.1/sign-in",
      value: "http://127.0.0.1/sign-in",
    });
    expect(textOf(end)).toContain("User completed the URL elicitation flow");
    expect(textOf((await one(link, answering({ value: "decline" }))).end)).toContain("User declined");
    expect(textOf((await one(link, answering("expired"))).end)).toContain("User cancelled");
  });

  test("a link that must be opened before the call", async () => {
    const before: Call = [link[0], { ...(link[1] as object), errorPath: true }];
    const { end, all } = await one(before, answering({ value: "accept" }));
    expect(all("ask-start")).toHaveLength(2);
    expect(textOf(end)).toContain("User completed the URL elicitation flow");
    expect((await one(before, answering({ value: "decline" }))).end.outcome).toBe("error");
  });

  test("two concurrent runs on one HTTP connection: each gets its own question", async () => {
    const { url } = await everythingHttp();
    const tools = toolkit({ servers: { all: { url } } });
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    const run = (name: string) =>
      calling(tools, [[form]], async (event, { answer }) => {
        if (event.type !== "ask-start") return;
        waiting += 1;
        if (waiting === 2) both.resolve();
        await both.promise;
        answer(event.ask, { value: { name } });
      });
    const results = await Promise.all([run("Ada"), run("Grace")]);
    expect(results.map(({ ends }) => /Name: (\w+)/.exec(textOf(ends[0]))?.[1])).toEqual(["Ada", "Grace"]);
  });
});

describe("server-filesystem", () => {
  test("every tool works, on a separate directory", async () => {
    const place = directory();
    const at = (...names: string[]) => path.join(place, ...names);
    writeFileSync(at("pixel.png"), Buffer.from("89504e470d0a1a0a", "hex"));
    const tools = toolkit({ servers: { files: filesystem(place) } });
    const calls: [string, Record<string, unknown>, RegExp][] = [
      ["list_allowed_directories", {}, /runcast-mcp-/],
      ["create_directory", { path: at("notes") }, /Successfully created directory/],
      ["write_file", { path: at("notes/a.md"), content: "one\ntwo\n" }, /Successfully wrote/],
      ["edit_file", { path: at("notes/a.md"), edits: [{ oldText: "two", newText: "three" }] }, /\+three/],
      ["read_text_file", { path: at("notes/a.md") }, /one\nthree/],
      ["read_file", { path: at("notes/a.md") }, /one\nthree/],
      ["read_multiple_files", { paths: [at("notes/a.md")] }, /a\.md:\none/],
      ["list_directory", { path: place }, /\[DIR\] notes/],
      ["list_directory_with_sizes", { path: place }, /\[FILE\] pixel\.png/],
      ["directory_tree", { path: place }, /"name": "a\.md"/],
      ["search_files", { path: place, pattern: "**/*.md" }, /a\.md/],
      ["get_file_info", { path: at("notes/a.md") }, /size: 10/],
      ["move_file", { source: at("notes/a.md"), destination: at("b.md") }, /Successfully moved/],
      ["read_media_file", { path: at("pixel.png") }, /^$/],
    ];
    const { ends, requests } = await calling(
      tools,
      calls.map(([name, input]) => [[`files__${name}`, input as never]]),
    );
    expect(requests[0]?.tools?.map(({ name }) => name).toSorted()).toEqual(
      calls.map(([name]) => `files__${name}`).toSorted(),
    );
    for (const [index, [name, , expected]] of calls.entries()) {
      expect(ends[index]?.outcome, `${name}: ${ends[index]?.error?.message}`).toBe("ok");
      expect(textOf(ends[index]), name).toMatch(expected);
    }
    expect(ends.at(-1)?.content).toMatchObject([{ type: "file", mediaType: "image/png", bytes: 8 }]);
    expect(await readFile(at("b.md"), "utf8")).toBe("one\nthree\n");
  });

  test("a refusal is an error with the server's message", async () => {
    const tools = toolkit({ servers: { files: filesystem(directory()) } });
    const { ends } = await calling(tools, [[["files__read_text_file", { path: "/etc/hostname" }]]]);
    expect(ends[0]).toMatchObject({ outcome: "error", error: { message: expect.stringContaining("Access denied") } });
  });
});

test("end to end: the agent's loop, the runner and the log", async () => {
  const { model } = playing(
    script("hi", [{ call: "all__get-sum", input: { a: 2, b: 3 } }], ({ resultsOf }) => [
      { say: resultsOf("all__get-sum").join("") },
    ]),
  );
  const { runner, log } = setUp();
  const source = agent({ name: "test", model, tools: [toolkit({ servers: { all: everything() } })] });
  const { run } = await runner.start(
    { messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }] },
    { name: "test", source },
  );
  const events = await untilEnd(log, run);
  expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
  expect(events.map((event) => (event.type === "text-delta" ? event.delta : "")).join("")).toBe(
    "The sum of 2 and 3 is 5.",
  );
});
