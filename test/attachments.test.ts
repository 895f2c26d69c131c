import { describe, expect, test } from "vitest";
import { openaiChat } from "../src/dialects/openai-chat.ts";
import { openaiResponses } from "../src/dialects/openai-responses.ts";
import { native } from "../src/dialects/native.ts";
import { memory } from "../src/logs/memory.ts";
import type { Entry, Message, Part } from "../src/events.ts";
import { provider } from "../src/models/provider.ts";
import { createRunner } from "../src/runner.ts";
import type { NamedAgent, Source } from "../src/source.ts";
import { agent } from "../src/sources/agent.ts";
import { mockProvider, type MockProvider, partsIn } from "./mock-provider.ts";
import { PICTURE } from "./recordings/providers.ts";
import { ended, onStop, post, refusal, serve, until } from "./serving.ts";

const PNG = Buffer.from(PICTURE, "base64");
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 1, 2, 3, 0xff, 0xd9]);
const PDF = Buffer.from("%PDF-1.4\n1 0 obj<<>>endobj\n%%EOF\n");
const NOTES = "first line\nsécond line\n";

const file = (name: string, mediaType: string, bytes: Uint8Array): Part => ({
  type: "file",
  name,
  mediaType,
  data: Buffer.from(bytes).toString("base64"),
});
const EVERY_KIND = [
  file("a.png", "image/png", PNG),
  file("b.jpg", "image/jpeg", JPEG),
  file("c.pdf", "application/pdf", PDF),
  file("d.txt", "text/plain", Buffer.from(NOTES)),
  file("e.ts", "application/octet-stream", Buffer.from("const one = 1;\n")),
];
const LOOK: Part = { type: "text", text: "look" };
const user = (...content: Part[]): Message => ({ role: "user", content });

const FORMATS = ["openai", "openai-chat", "anthropic", "google"] as const;

const asking = (format: string, mock: MockProvider, more: object = {}): Source => {
  const endpoint = { baseUrl: mock.url, apiKey: "key" };
  const models = provider({ openai: endpoint, anthropic: endpoint, google: endpoint });
  return agent({ name: "test", model: `${format}/m`, provider: models, ...more });
};

const stored = async (url: string, run: string): Promise<Entry[]> => {
  const text = await (await fetch(`${url}/runs/${run}/export.jsonl`)).text();
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Entry);
};
const startOf = async (url: string, run: string) => {
  const event = (await stored(url, run))[0]!.event;
  if (event.type !== "run-start") throw new Error("no run-start");
  return event;
};
const started = async (url: string, body: object): Promise<string> => {
  const response = await post(`${url}/runs`, body, { accept: "application/json" });
  if (!response.ok) throw new Error(await response.text());
  const { run } = (await response.json()) as { run: string };
  await ended(url, run);
  return run;
};
const upload = (url: string, run: string, name: string, type: string, bytes: Uint8Array, more: object = {}) =>
  fetch(`${url}/runs/${run}/files?name=${encodeURIComponent(name)}`, {
    method: "POST",
    headers: { "content-type": type, ...more },
    body: Buffer.from(bytes),
  });

/** Checks what a provider receives for EVERY_KIND and LOOK. Formats without file names have none. */
const expectEveryKind = (format: string, body: unknown): void => {
  const [png, jpeg, pdf, text, code, look] = partsIn[format]!(body);
  expect(png).toMatchObject({ mediaType: "image/png", bytes: PNG });
  expect(jpeg).toMatchObject({ mediaType: "image/jpeg", bytes: JPEG });
  expect(pdf).toMatchObject({
    mediaType: "application/pdf",
    bytes: PDF,
    ...(format !== "google" && { name: "c.pdf" }),
  });
  expect(text).toContain(`File d.txt:\n\n${NOTES}`);
  expect(code).toContain("File e.ts:\n\nconst one = 1;\n");
  expect(look).toBe("look");
};

describe.each(FORMATS)("to %s", (format) => {
  test("every kind of file arrives in its format, byte for byte, and the log contains only references", async () => {
    const mock = await mockProvider(format);
    const { url } = await serve(asking(format, mock));
    const run = await started(url, { messages: [user(...EVERY_KIND, LOOK)] });
    expectEveryKind(format, mock.requests[0]);
    const text = JSON.stringify(await stored(url, run));
    expect(text).not.toContain(PICTURE);
    const { message } = await startOf(url, run);
    for (const [index, part] of message!.content.slice(0, 5).entries()) {
      if (part.type !== "file") throw new Error("not a file");
      const sent = EVERY_KIND[index]! as typeof part;
      expect(part).toMatchObject({ name: sent.name, mediaType: sent.mediaType });
      const bytes = Buffer.from(await (await fetch(`${url}/runs/${run}/files/${part.file}`)).arrayBuffer());
      expect(bytes.toString("base64")).toBe(sent.data);
      expect(part.bytes).toBe(bytes.length);
    }
  });

  test("50 images", async () => {
    const mock = await mockProvider(format);
    const { url } = await serve(asking(format, mock));
    const images = Array.from({ length: 50 }, (_, index) => Buffer.concat([PNG, Buffer.from([index])]));
    const run = await started(url, {
      messages: [user(...images.map((bytes, index) => file(`${index}.png`, "image/png", bytes)), LOOK)],
    });
    const parts = partsIn[format]!(mock.requests[0]);
    expect(parts.slice(0, 50).map((part) => (typeof part === "string" ? part : part.bytes))).toEqual(images);
    expect((await startOf(url, run)).message!.content).toHaveLength(51);
  });

  test("a file that the model cannot read is refused with what it can read, and an earlier one is replaced by a note", async () => {
    const mock = await mockProvider(format);
    const { url } = await serve(asking(format, mock));
    const zip = file("f.zip", "application/zip", Buffer.from([0x50, 0x4b, 0, 0xff]));
    const response = await post(`${url}/runs`, { messages: [user(zip, LOOK)] });
    expect(response.status).toBe(415);
    const { error } = (await response.json()) as { error: { code: string; message: string; hint: string } };
    expect(error.message).toBe("The model m cannot read f.zip, a file of type application/zip.");
    expect(error.hint).toMatch(/^It reads text files, images, PDFs/);
    expect(mock.requests).toEqual([]);
    const messages = [user(zip), { role: "assistant", content: [LOOK] }, user(LOOK)];
    await started(url, { messages });
    expect(JSON.stringify(mock.requests[0])).toContain("[file f.zip (application/zip): this model cannot read it]");
  });
});

test("the list of agents says which files a model reads, also if only its name is known", async () => {
  const types = async (options: Parameters<typeof agent>[0]) => {
    const { url } = await serve(agent(options));
    const { agents } = (await (await fetch(`${url}/agents`)).json()) as { agents: readonly NamedAgent[] };
    return agents[0]?.accepts;
  };
  expect(await types({ model: "ollama/llama3" })).toEqual(["image/png", "image/jpeg", "image/gif", "image/webp"]);
  expect(await types({ model: "anthropic/m" })).toContain("application/pdf");
  expect(await types({ model: "deepseek/m" })).toEqual([]);
  expect(await types({ model: "ollama/llama3", accepts: ["audio/wav"] })).toEqual(["audio/wav"]);
  const compatible = { ollama: { accepts: { "llava:13b": ["image/png"] } } };
  expect(await types({ model: "ollama/llava:13b", provider: provider({ compatible }) })).toEqual(["image/png"]);
  expect(await types({ model: "acme/m" })).toBe(undefined);
});

describe("uploads", () => {
  test.each(FORMATS)(
    "a run, its retry, the next turn and a continued thread can read the bytes: %s",
    async (format) => {
      const mock = await mockProvider(format);
      const { url } = await serve(asking(format, mock));
      const parts: object[] = [];
      for (const sent of EVERY_KIND) {
        if (sent.type !== "file") continue;
        const { name = "", mediaType, data = "" } = sent;
        const bytes = Buffer.from(data, "base64");
        const response = await upload(url, "first", name, mediaType, bytes);
        expect(response.status).toBe(201);
        const ref = (await response.json()) as { file: string };
        expect(ref).toMatchObject({ mediaType, bytes: bytes.length, name });
        parts.push({ type: "file", mediaType, name, file: ref.file });
      }
      await started(url, { run: "first", thread: "t", messages: [{ role: "user", content: [...parts, LOOK] }] });
      expectEveryKind(format, mock.requests[0]);
      // A retry is another run with the same message. It has its own copies, which need no access to the first run.
      const content = [...parts.map((part) => ({ ...part, run: "first" })), LOOK];
      await started(url, { run: "again", messages: [{ role: "user", content }] });
      expectEveryKind(format, mock.requests[1]);
      const copied = (await startOf(url, "again")).message!.content[0]!;
      expect(copied).not.toHaveProperty("run");
      expect((await fetch(`${url}/runs/again/files/${(copied as { file: string }).file}`)).status).toBe(200);
      const messages = [
        { role: "user", content },
        { role: "assistant", content: [{ type: "text", text: "A dot." }] },
        { role: "user", content: [{ type: "text", text: "and now?" }] },
      ];
      await started(url, { run: "next", messages });
      expectEveryKind(format, mock.requests[2]);
      // The stored request names the run that has the bytes.
      const { request } = await startOf(url, "next");
      const kept = await (await fetch(`${url}/runs/next/files/${request!.file}`)).text();
      expect(kept).toContain('"run":"first"');
      expect(kept).not.toContain(PICTURE);
      await fetch(`${url}/runs/first`, { method: "DELETE" });
      await started(url, { run: "after", messages });
      expect(JSON.stringify(mock.requests[3])).toContain("[file a.png (image/png): no longer stored]");
    },
  );

  test("a run that another process takes over can read the bytes", async () => {
    const mock = await mockProvider("openai");
    const log = memory();
    const source = asking("openai", mock, { maxAttempts: 1 });
    const findAgent = (name: string) => ({ name, source });
    const first = createRunner({ log, findAgent });
    mock.hold();
    const messages = [user(...EVERY_KIND, LOOK)];
    const { run } = await first.start({ messages }, { name: "test", source });
    await until(() => mock.requests.length === 1);
    await first.close({ handOverMs: 1 });
    const second = createRunner({ log, findAgent });
    onStop(() => second.close());
    await second.recover();
    await until(() => mock.requests.length === 2);
    expectEveryKind("openai", mock.requests[1]);
    expect((await log.info(run))?.outcome).toBeUndefined();
  });

  test("20 MB are refused with a clear error, however they are sent", async () => {
    const { url } = await serve(asking("openai", await mockProvider("openai")));
    const large = Buffer.alloc(20 * 1024 * 1024, 7);
    const uploaded = await upload(url, "large", "film.png", "image/png", large).catch(() => undefined);
    if (uploaded) expect(await refusal(uploaded)).toMatchObject({ status: 413, code: "file-too-large" });
    const response = await post(`${url}/runs`, { messages: [user(file("film.png", "image/png", large))] });
    expect(response.status).toBe(413);
    const { error } = (await response.json()) as { error: { message: string; hint: string } };
    expect(error.message).toBe("The file film.png is 20.0 MB; the limit is 10.0 MB.");
    expect(error.hint).toContain("limits.fileBytes");
  });

  test("other content cannot use the size limit for files", async () => {
    const { url } = await serve(asking("openai", await mockProvider("openai")), { limits: { bodyBytes: 10_000 } });
    const many = { message: "hi", metadata: { list: Array.from({ length: 20_000 }, () => []) } };
    expect(await refusal(await post(`${url}/runs`, many))).toMatchObject({ status: 413, code: "too-large" });
    const small = { messages: [user(file("a.png", "image/png", Buffer.alloc(100_000, 1)))] };
    expect((await post(`${url}/runs`, small)).status).toBe(200);
  });

  test("too many files, too large a total, and files for an existing run are refused", async () => {
    const limits = { files: 2, filesBytes: 100 };
    const { url } = await serve(asking("openai", await mockProvider("openai")), { limits });
    const three = [PNG, PNG, PNG].map((bytes) => file("a.png", "image/png", bytes));
    expect((await refusal(await post(`${url}/runs`, { messages: [user(...three)] }))).code).toBe("too-many-files");
    const two = { messages: [user(...three.slice(1))] };
    expect((await refusal(await post(`${url}/runs`, two))).code).toBe("files-too-large");
    await started(url, { run: "there", message: "hi" });
    expect((await refusal(await upload(url, "there", "a", "image/png", PNG))).code).toBe("run-taken");
    expect((await refusal(await upload(url, "a b", "a", "image/png", PNG))).code).toBe("bad-request");
  });

  test("documents of a request are for tools: stored once, counted, and not sent to the model", async () => {
    const mock = await mockProvider("openai");
    const seen: unknown[] = [];
    const asked: Source = (request, context) => {
      seen.push(request.files);
      return asking("openai", mock)(request, context);
    };
    const { url } = await serve(asked, { limits: { files: 1 } });
    const document = file("plan.docx", "application/msword", PDF);
    const run = await started(url, { message: "look", files: [document] });
    expect(seen).toEqual([[{ ...document }]]);
    expect(JSON.stringify(mock.requests)).not.toContain("plan.docx");
    const { request } = await startOf(url, run);
    const kept = await (await fetch(`${url}/runs/${run}/files/${request!.file}`)).text();
    const [{ data, file: id }] = (JSON.parse(kept) as { files: [{ data?: string; file: string }] }).files;
    expect(data).toBeUndefined();
    const bytes = await (await fetch(`${url}/runs/${run}/files/${id}`)).arrayBuffer();
    expect(Buffer.from(bytes)).toEqual(PDF);
    const two = { message: "look", files: [document, document] };
    expect((await refusal(await post(`${url}/runs`, two))).code).toBe("too-many-files");
  });

  test("no user can attach a file of another user's run", async () => {
    const keys = ["ann", "bob"].map((name) => ({ name, key: `${name}-secret-key` }));
    const { url } = await serve(asking("openai", await mockProvider("openai")), { keys });
    const as = (name: string) => ({ authorization: `Bearer ${name}-secret-key` });
    const body = { run: "anns", messages: [user(file("a.png", "image/png", PNG), LOOK)] };
    await (await post(`${url}/runs`, body, as("ann"))).text();
    const exported = await (await fetch(`${url}/runs/anns/export.jsonl`, { headers: as("ann") })).text();
    const [, id] = /"file":"([^"]+)"/.exec(exported)!;
    const taking = (name: string) =>
      post(
        `${url}/runs`,
        { messages: [user({ type: "file", mediaType: "image/png", run: "anns", file: id! })] },
        as(name),
      );
    expect((await refusal(await taking("bob"))).code).toBe("unknown-file");
    expect((await taking("ann")).status).toBe(200);
    expect((await upload(url, "x", "a", "image/png", PNG)).status).toBe(401);
  });
});

describe("OpenAI's own parts", () => {
  const url64 = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString("base64")}`;
  test.each([
    [
      "/v1/chat/completions",
      (text: string) => ({
        messages: [
          {
            role: "user",
            content: [
              { type: "image_url", image_url: { url: url64("image/png", PNG) } },
              { type: "file", file: { filename: "c.pdf", file_data: url64("application/pdf", PDF) } },
              { type: "file", file: { filename: "d.txt", file_data: url64("text/plain", Buffer.from(NOTES)) } },
              { type: "text", text },
            ],
          },
        ],
      }),
    ],
    [
      "/v1/responses",
      (text: string) => ({
        input: [
          {
            role: "user",
            content: [
              { type: "input_image", image_url: url64("image/png", PNG) },
              { type: "input_file", filename: "c.pdf", file_data: url64("application/pdf", PDF) },
              { type: "input_file", filename: "d.txt", file_data: url64("text/plain", Buffer.from(NOTES)) },
              { type: "input_text", text },
            ],
          },
        ],
      }),
    ],
  ])("%s", async (path, body) => {
    const mock = await mockProvider("google");
    const { url } = await serve(asking("google", mock), { dialects: [native, openaiChat, openaiResponses] });
    const response = await post(url + path, { model: "test", ...body("look") });
    expect(await response.text()).toContain("Hello there.");
    const [image, pdf, text, look] = partsIn["google"]!(mock.requests[0]);
    expect([image, pdf]).toMatchObject([
      { mediaType: "image/png", bytes: PNG },
      { mediaType: "application/pdf", bytes: PDF },
    ]);
    expect(text).toContain(NOTES);
    expect(look).toBe("look");
    const { runs } = (await (await fetch(`${url}/runs`)).json()) as { runs: { run: string }[] };
    expect((await startOf(url, runs[0]!.run)).message!.content).toMatchObject([
      { type: "file", mediaType: "image/png", bytes: PNG.length },
      { type: "file", mediaType: "application/pdf", name: "c.pdf" },
      { type: "file", name: "d.txt" },
      LOOK,
    ]);
  });
});
