import { createServer, type ServerResponse } from "node:http";
import { onStop } from "./serving.ts";
import { recordings } from "./recordings/providers.ts";

/** A part of a message as a provider received it: the media type, the name if the format has one, and the bytes. */
export interface Arrived {
  readonly mediaType: string;
  readonly name?: string;
  readonly bytes: Buffer;
}

export interface MockProvider {
  readonly url: string;
  /** The bodies of the requests, in order. */
  readonly requests: readonly unknown[];
  /** From now on, responses wait. */
  hold(): void;
}

/** A provider that answers every request with the recorded text of its format, and records the requests. */
export const mockProvider = async (format: string): Promise<MockProvider> => {
  const requests: unknown[] = [];
  let isHeld = false;
  const held: ServerResponse[] = [];
  const server = createServer(async (request, response) => {
    requests.push(JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString()));
    if (isHeld) return void held.push(response);
    response.writeHead(200, { "content-type": "text/event-stream" }).end(recordings[format]!.answers.text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onStop(() => {
    for (const response of held) response.destroy();
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, requests, hold: () => void (isHeld = true) };
};

type Fields = Readonly<Record<string, unknown>>;
const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);
const fields = (value: unknown): Fields => (value ?? {}) as Fields;

const fromDataUrl = (url: unknown, name?: unknown): Arrived => {
  const [, mediaType = "", data = ""] = /^data:([^;]*);base64,(.*)$/s.exec(String(url)) ?? [];
  return arrived(mediaType, data, name);
};
const arrived = (mediaType: unknown, data: unknown, name?: unknown): Arrived => ({
  mediaType: String(mediaType),
  bytes: Buffer.from(String(data), "base64"),
  ...(typeof name === "string" && { name }),
});

/** The parts of all user messages in a request of each format: files as bytes, text as strings. */
export const partsIn: Readonly<Record<string, (body: unknown) => (Arrived | string)[]>> = {
  openai: (body) =>
    list(fields(body)["input"])
      .filter(({ role }) => role === "user")
      .flatMap(({ content }) => list(content))
      .map((part) => {
        if (part["type"] === "input_text") return String(part["text"]);
        return part["type"] === "input_image"
          ? fromDataUrl(part["image_url"])
          : fromDataUrl(part["file_data"], part["filename"]);
      }),
  "openai-chat": (body) =>
    list(fields(body)["messages"])
      .filter(({ role }) => role === "user")
      .flatMap(({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : list(content)))
      .map((part) => {
        if (part["type"] === "text") return String((part as Fields)["text"]);
        if (part["type"] === "image_url") return fromDataUrl(fields((part as Fields)["image_url"])["url"]);
        const file = fields((part as Fields)["file"]);
        return fromDataUrl(file["file_data"], file["filename"]);
      }),
  anthropic: (body) =>
    list(fields(body)["messages"])
      .filter(({ role }) => role === "user")
      .flatMap(({ content }) => list(content))
      .map((part) => {
        if (part["type"] === "text") return String(part["text"]);
        const source = fields(part["source"]);
        return arrived(source["media_type"], source["data"], part["title"]);
      }),
  google: (body) =>
    list(fields(body)["contents"])
      .filter(({ role }) => role === "user")
      .flatMap(({ parts }) => list(parts))
      .map((part) => {
        if (typeof part["text"] === "string") return part["text"];
        const inline = fields(part["inlineData"]);
        return arrived(inline["mimeType"], inline["data"]);
      }),
};
