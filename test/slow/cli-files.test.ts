import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import type { RunRequest, Source } from "../../src/source.ts";
import { useCommandLine } from "../command-line.ts";
import { PICTURE } from "../recordings/providers.ts";
import { serve } from "../serving.ts";

const { runcast } = useCommandLine();

const listening = (requests: RunRequest[]): Source =>
  async function* (request) {
    requests.push(request);
    yield { type: "step-start", step: "s" };
    yield { type: "step-end", step: "s", finish: "stop" };
  };

test("watch --file sends files with the message, and reports problems with a file", async () => {
  const requests: RunRequest[] = [];
  const { url } = await serve(listening(requests));
  const cwd = await mkdtemp(path.join(tmpdir(), "runcast-files-"));
  await writeFile(path.join(cwd, "dot.png"), Buffer.from(PICTURE, "base64"));
  await writeFile(path.join(cwd, "notes.md"), "# Notes");
  await writeFile(path.join(cwd, "film.png"), Buffer.alloc(20 * 1024 * 1024));
  const watch = (...files: string[]) =>
    runcast(["watch", url, "--message", "look", ...files.flatMap((file) => ["--file", file])], { cwd });
  expect(await watch("dot.png", "notes.md")).toMatchObject({ code: 0 });
  expect(requests[0]!.messages[0]!.content).toEqual([
    { type: "file", name: "dot.png", mediaType: "image/png", data: PICTURE },
    { type: "file", name: "notes.md", mediaType: "text/markdown", data: Buffer.from("# Notes").toString("base64") },
    { type: "text", text: "look" },
  ]);
  const missing = await watch("nothing.png");
  expect([missing.code, missing.error]).toEqual([1, expect.stringContaining("there is no file nothing.png")]);
  const large = await watch("film.png");
  expect([large.code, large.error]).toEqual([1, expect.stringContaining("The limit is 10.0 MB per file")]);
  expect(requests).toHaveLength(1);
  const alone = await runcast(["watch", `${url}/runs/x`, "--file", "dot.png"], { cwd });
  expect([alone.code, alone.error]).toEqual([2, expect.stringContaining("--file needs --message")]);
});
