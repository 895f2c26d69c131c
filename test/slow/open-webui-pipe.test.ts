import { type IncomingMessage, type ServerResponse } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Answering, refuses, type ScriptedRequest, startScriptedServer } from "../scripted-server.ts";
import { describeLive } from "../open-webui/live/installed.ts";
import { dataOf, drivePipe, type StoredFile } from "../open-webui/python.ts";

type Server = Awaited<ReturnType<typeof startScriptedServer>>;

const line = (value: unknown, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`;
const DONE = "data: [DONE]\n\n";
const HEAD = { "content-type": "text/event-stream", "runcast-run": "run-1" };
const streams =
  (...pieces: readonly string[]): Answering =>
  (response) =>
    response.writeHead(200, HEAD).end(pieces.join(""));
const breaks =
  (...pieces: readonly string[]): Answering =>
  (response) =>
    response.writeHead(200, HEAD).write(pieces.join(""), () => response.destroy());

const added = { type: "response.output_item.added", item: { id: "msg" } };
const status = (description: string) => ({ event: { type: "status", data: { description, done: true } } });

describeLive("the pipe", ({ program }) => {
  const python = path.join(path.dirname(program), "python");
  const servers: Server[] = [];
  const serve = async (...script: readonly Answering[]): Promise<Server> => {
    const server = await startScriptedServer(...script);
    servers.push(server);
    return server;
  };
  afterEach(async () => void (await Promise.all(servers.splice(0).map((server) => server.close()))));
  const valvesOf = ({ url }: Server, rest: object = {}) => ({ RUNCAST_URL: url, ...rest });

  test("forwards data lines unchanged and nothing else, and sends the user and its settings", async () => {
    const tricky = { type: "response.output_text.delta", delta: "a\u2028b\u0085c\u000b « 😀" };
    const server = await serve(
      streams(
        ": comment\n\n",
        line(added, "1"),
        "event: x\n",
        line(tricky, "2"),
        line({ runcast: { will: [] } }),
        DONE,
      ),
    );
    const values = await drivePipe(python, {
      valves: valvesOf(server, { API_KEY: "k", STYLE: "collapse", SHOW_TOOL_CITATIONS: false }),
      version: "0.10.2",
      arguments: {
        __user__: { id: "u1", name: "Zoë Ω", email: "z@example.org", role: "user", valves: { STYLE: "details" } },
        __metadata__: { chat_id: "c1", message_id: "m1", params: { function_calling: "legacy" } },
        __oauth_token__: { access_token: "secret" },
      },
    });
    expect(dataOf(values)).toEqual([added, tricky]);
    const { headers, body, url } = server.requests[0]!;
    expect(url).toBe("/open-webui/v1/chat/completions");
    expect(headers).toMatchObject({
      authorization: "Bearer k",
      "runcast-pipe":
        "version=0.1.0; open-webui=0.10.2; mode=legacy; execute=0; citations=0; subagent-status=1; debug=0",
      "runcast-style": "details",
      "runcast-secret-open-webui-token": "secret",
      "x-openwebui-chat-id": "c1",
      "x-openwebui-message-id": "m1",
      "x-openwebui-user-name": encodeURIComponent("Zoë Ω").replaceAll("%20", " "),
    });
    expect(JSON.parse(body)).toMatchObject({ model: "helper", runcast: { settings: { STYLE: "details" } } });
  });

  test("sends documents of the chat with their bytes, but only the user's own, up to a limit", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "runcast-documents-"));
    const stored: Record<string, StoredFile> = {};
    const store = async (id: string, about: Partial<StoredFile> = {}) => {
      const where = path.join(folder, id);
      await writeFile(where, `of ${id}`);
      stored[id] = { user_id: "u1", filename: `${id}.csv`, path: where, meta: { size: 8 }, ...about };
    };
    await store("mine", { meta: { size: 7, content_type: "text/csv" } });
    await store("another", { user_id: "u2" });
    await store("huge", { meta: { size: 11 * 2 ** 20 } });
    await store("gone", { path: path.join(folder, "nowhere") });
    const items = ["another", "gone", "mine", "unknown", "huge"].map((id) => ({ type: "file", id, name: id }));
    const __files__ = [{ type: "collection", name: "Knowledge" }, ...items];
    const server = await serve(streams(line(added, "1"), DONE));
    const driven = { valves: valvesOf(server), stored, arguments: { __user__: { id: "u1" }, __files__ } };
    expect(dataOf(await drivePipe(python, driven))).toEqual([added]);
    expect(JSON.parse(server.requests[0]!.body).runcast.files).toEqual([
      { type: "file", name: "mine.csv", mediaType: "text/csv", data: Buffer.from("of mine").toString("base64") },
    ]);
    await rm(folder, { recursive: true });
  });

  test("works without a page: no dialogs, and Stop still cancels", async () => {
    const call = { type: "confirmation", data: { title: "Delete?" } };
    const cancelled = Promise.withResolvers<string>();
    const server = await serve(
      (response) =>
        void response.writeHead(200, HEAD).write(line({ runcast: { call, answer: "/a" } }) + line(added, "1")),
      (response, { url }) => {
        response.end("{}");
        cancelled.resolve(url);
      },
    );
    const values = await drivePipe(python, { valves: valvesOf(server), page: false, stopAfter: 1 });
    expect(dataOf(values)).toEqual([added]);
    expect(values).toHaveLength(1);
    expect(await cancelled.promise).toBe("/open-webui/v1/runs/run-1/cancel");
  });

  test("without settings, uses the defaults of the valves and sends them to the server", async () => {
    const server = await serve(streams(DONE));
    const [first] = await drivePipe(python, { do: "defaults" });
    expect(first!.defaults).toEqual({
      RUNCAST_URL: "http://localhost:4400",
      API_KEY: "",
      STYLE: "",
      SHOW_TOOL_CITATIONS: true,
      SHOW_SUBAGENT_STATUS: true,
      REQUEST_TIMEOUT: 300,
      ALLOW_EXECUTE: false,
      DEBUG: false,
    });
    await drivePipe(python, { valves: valvesOf(server) });
    expect(server.requests[0]!.headers["runcast-pipe"]).toBe(
      "version=0.1.0; open-webui=0.12.4; mode=native; execute=0; citations=1; subagent-status=1; debug=0",
    );
  });

  test("resumes where the stream broke, and drops the will once nothing is open", async () => {
    const server = await serve(
      breaks(line({ runcast: { will: [{ closed: 1 }] } }), line(added, "3.1")),
      refuses(410, { message: "the run is gone" }),
    );
    const refused = await drivePipe(python, { valves: valvesOf(server) });
    expect(dataOf(refused)).toEqual([
      added,
      { closed: 1 },
      status("Runcast: connection lost"),
      { error: { message: "Runcast refused: the run is gone." } },
    ]);
    const healthy = await serve(
      breaks(line(added, "3.1")),
      refuses(503, "starting"),
      streams(line({ second: 2 }, "4"), DONE),
    );
    expect(dataOf(await drivePipe(python, { valves: valvesOf(healthy) }))).toEqual([added, { second: 2 }]);
    expect(healthy.requests.map(({ method, url, headers }) => [method, url, headers["last-event-id"]])).toEqual([
      ["POST", "/open-webui/v1/chat/completions", undefined],
      ["GET", "/open-webui/v1/runs/run-1/events", "3.1"],
      ["GET", "/open-webui/v1/runs/run-1/events", "3.1"],
    ]);
  });

  test("a stream that stays broken ends with the server's will, a finished status and one sentence", async () => {
    const server = await serve(breaks(line({ runcast: { will: [{ closed: 1 }] } }), line(added, "1")), breaks());
    const [first, will, over, { error }] = dataOf(await drivePipe(python, { valves: valvesOf(server) })) as any[];
    expect([first, will, over]).toEqual([added, { closed: 1 }, status("Runcast: connection lost")]);
    expect(error.message).toMatch(
      /^The connection to Runcast at http:\S+ was lost, so the answer is incomplete\. Send the message again\.$/,
    );
  });

  test.each([
    ["a dead server", {}, undefined, /^Runcast is not reachable at \S+: start it, or correct RUNCAST_URL/],
    [
      "silence",
      { REQUEST_TIMEOUT: 0.3 },
      ((r: ServerResponse) => r.writeHead(200, HEAD).flushHeaders()) as Answering,
      /sent nothing for 0\.3 s\. Check the server/,
    ],
    [
      "a wrong key",
      {},
      refuses(401, { code: "invalid_api_key", message: "Incorrect API key provided: send another in the header" }),
      /^Runcast refused: API_KEY in the valves is missing or wrong\.$/,
    ],
    [
      "a model's missing key",
      {},
      refuses(401, { code: "model-key-missing", message: "The model acme/large needs a key" }),
      /^Runcast refused: The model acme\/large needs a key\.$/,
    ],
    [
      "a host that the server does not accept",
      {},
      refuses(403, {
        code: "wrong-host",
        message: "this server does not accept the host x: add it to the hosts setting",
      }),
      /^Runcast refused: this server does not accept the host x: add it to the hosts setting\.$/,
    ],
    [
      "a response that is not from Runcast",
      {},
      refuses(502, "<html>"),
      /^Runcast refused: it returned 502 Bad Gateway\.$/,
    ],
    ["an invalid address", { RUNCAST_URL: "runcast" }, undefined, /^'runcast' is not a valid URL/],
  ])("%s is one clear sentence, and the status is finished", async (_, valves, answering, sentence) => {
    const server = await serve(answering ?? streams());
    if (!answering) await servers.splice(0)[0]!.close();
    const lines = dataOf(await drivePipe(python, { valves: valvesOf(server, valves) })) as any[];
    expect(lines.at(-2)?.event?.data?.done).toBe(true);
    expect(lines.at(-1).error.message).toMatch(sentence);
    const whole = (await drivePipe(python, { valves: valvesOf(server, valves), body: { stream: false } })) as any[];
    expect(whole[0].whole.error.detail).toMatch(sentence);
  });

  test("a dialog's answer goes back into the run, again if it failed, while the stream continues", async () => {
    const call = { type: "confirmation", data: { title: "Delete?", message: "all of it" } };
    const path = "/open-webui/v1/runs/run-1/asks/a/confirmation";
    let stream: ServerResponse<IncomingMessage> | undefined;
    const answered = (request: ScriptedRequest): boolean => JSON.parse(request.body).result === true;
    const answer: Answering = (response, request) => {
      const isAnswer = answered(request);
      response.writeHead(isAnswer ? 200 : 422).end("{}");
      if (isAnswer) stream!.end(line({ runcast: { answered: path } }) + line({ after: "answer" }, "9") + DONE);
    };
    const server = await serve((response) => {
      stream = response.writeHead(200, HEAD);
      response.write(line({ runcast: { call, answer: path } }) + line({ meanwhile: 1 }, "8"));
    }, answer);
    const values = await drivePipe(python, {
      valves: valvesOf(server),
      answers: [{ error: "Client session disconnected." }, true],
    });
    expect(values.flatMap(({ dialog }) => dialog ?? [])).toEqual([call, call]);
    expect(dataOf(values)).toEqual([{ meanwhile: 1 }, { after: "answer" }]);
    expect(server.requests.slice(1).map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
      [path, { result: { error: "Client session disconnected." } }],
      [path, { result: true }],
    ]);
  });

  test("Stop closes the connection and cancels the run, which a broken connection does not", async () => {
    const closed = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<string>();
    const server = await serve(
      (response) => {
        response.on("close", closed.resolve);
        response.writeHead(200, HEAD).write(line(added, "1"));
      },
      (response, { url }) => {
        response.end("{}");
        cancelled.resolve(url);
      },
    );
    const values = await drivePipe(python, { valves: valvesOf(server), stopAfter: 1 });
    expect(values.at(-1)).toEqual({ emitted: status("Stopped").event });
    await closed.promise;
    expect(await cancelled.promise).toBe("/open-webui/v1/runs/run-1/cancel");
    expect(server.requests[0]!.headers["runcast-disconnect"]).toBe("continue");
  });

  test("a cut between a frame's id and its data repeats the frame", async () => {
    const server = await serve(
      breaks(line(added, "3"), "id: 4\n"),
      streams(line({ fourth: 4 }, "4"), line({ fifth: 5 }, "5"), DONE),
    );
    expect(dataOf(await drivePipe(python, { valves: valvesOf(server) }))).toEqual([added, { fourth: 4 }, { fifth: 5 }]);
    expect(server.requests[1]!.headers["last-event-id"]).toBe("3");
  });

  test("each agent is a model, and an absent server is a model with an explanation", async () => {
    const server = await serve((response) =>
      response.end(JSON.stringify({ data: [{ id: "a", name: "A" }, { id: "b" }] })),
    );
    const driven = { valves: valvesOf(server), do: "pipes" as const };
    const models = [
      { id: "a", name: "A" },
      { id: "b", name: "b" },
    ];
    expect((await drivePipe(python, driven))[0]!.pipes).toEqual(models);
    await servers.splice(0)[0]!.close();
    expect((await drivePipe(python, driven))[0]!.pipes).toEqual([{ id: "default", name: "Runcast (unreachable)" }]);
  });

  const lists = (rest: object): Answering => {
    const body = JSON.stringify({ data: [{ id: "a" }], ...rest });
    return (response) => response.end(body);
  };

  test("the valves offer the styles that the server lists, or only the default if it lists none", async () => {
    const offered = async (...script: readonly Answering[]) => {
      const values = await drivePipe(python, { valves: valvesOf(await serve(...script)), do: "pipes" });
      return values.flatMap(({ styles }) => (styles ? [styles] : []));
    };
    const styles = ["", "cards", "mosaic"];
    expect(await offered(lists({ styles: styles.slice(1) }))).toEqual([styles, styles]);
    expect(await offered(lists({}))).toEqual([[""], [""]]);
    expect(await offered(refuses(503, "starting"))).toEqual([[""], [""]]);
  });

  test.each([
    ["a listed style is requested", { styles: ["cards", "mosaic"] }, "mosaic"],
    ["a style that the server no longer has is not", { styles: ["cards"] }, undefined],
    ["any style of a server without a list is", {}, "mosaic"],
  ])("%s", async (_, listed, style) => {
    const server = await serve(lists(listed), streams(line(added, "1"), DONE));
    const values = await drivePipe(python, { valves: valvesOf(server, { STYLE: "mosaic" }), do: "pipes and pipe" });
    expect(dataOf(values)).toEqual([added]);
    expect(server.requests[1]!.headers["runcast-style"]).toBe(style);
  });
});
