import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { useCommandLine } from "../command-line.ts";
import { startScriptedServer } from "../scripted-server.ts";
import { onStop } from "../serving.ts";

const { runcast } = useCommandLine();

test("a server that accepts every request and streams nothing gets a no, with evidence and a seed", async () => {
  const server = await startScriptedServer((response) => response.writeHead(200).end("fine"));
  onStop(server.close);
  const json = path.join(tmpdir(), `runcast-torture-${process.pid}.json`);
  const { code, out } = await runcast([
    ...["torture", server.url, "--only", "bad-body", "--only", "late", "--seed", "7", "--json", json],
    ...["--model-port", "0"],
  ]);
  expect(code).toBe(1);
  expect(out).toContain("no   bad-body     no body: the response is 200, a success (--only bad-body --seed 7)");
  expect(out).toContain("0 yes, 2 no, 0 not applicable");
  const { results } = JSON.parse(await readFile(json, "utf8")) as { results: { evidence: { head: string }[] }[] };
  expect(results.map(({ evidence }) => evidence[0]!.head)).toEqual([
    expect.stringContaining("fine"),
    expect.stringContaining("fine"),
  ]);
});

test("a trial that does not apply gets n/a, with the reason", async () => {
  const { code, out } = await runcast([
    "torture",
    "http://127.0.0.1:9",
    "--only",
    "server-killed",
    "--model-port",
    "0",
  ]);
  expect(code).toBe(0);
  expect(out).toContain("n/a  server-killed  only a server started with --command can be killed");
  expect(out).toContain("0 yes, 0 no, 1 not applicable");
});

test("mistakes in the command line are explained", async () => {
  const { error } = await runcast(["torture", "http://127.0.0.1:9", "--only", "nothing"]);
  expect(error).toContain("no trial name contains nothing. The trials: cut-anywhere");
  const broken = await runcast(["torture", "http://127.0.0.1:9", "--command", "echo out of order; exit 3"]);
  expect(broken).toMatchObject({ code: 1 });
  expect(broken.error).toContain("the command exited before the server responded at http://127.0.0.1:9: out of order");
  expect(broken.error).not.toContain("    at ");
});
