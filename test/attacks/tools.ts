import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { findIsolation } from "../../src/tools/shell/isolation.ts";
import { type Attack, type Report, rounds } from "./attack.ts";
import { BOB, PROVIDER_KEY, as } from "./users.ts";
import { resident } from "./overload.ts";
import { type Target, readRun, startRun } from "./target.ts";

/** Makes an agent call a tool, and returns the text of its run. */
const call = async ({ url }: Target, name: string, input: object = {}): Promise<string> =>
  await readRun(url, BOB, await startRun(url, BOB, "caller", JSON.stringify({ call: name, input })));

const errorOf = (events: string): string | undefined =>
  /"type":"tool-end"[^\n]*"error":\{"code":"([^"]+)"/.exec(events)?.[1];

export const strayErrors: Attack = {
  name: "tools: uncaught errors",
  reports: /uncaught error; the server continues/,
  prepare:
    ({ url, reported }) =>
    (report, signal) =>
      rounds(signal, async (count) => {
        for (const way of ["rejection", "later_rejection", "late_throw", "stream"]) {
          const text = await readRun(url, BOB, await startRun(url, BOB, "strays", way));
          report.expect(errorOf(text) !== undefined, `${way}: the call did not fail`);
          report.expect(/"type":"run-end","outcome":"done"/.test(text), `${way}: the run did not continue`);
        }
        await readRun(url, BOB, await startRun(url, BOB, "strays", "after_the_end"));
        await reported("long after the end", count + 1);
      }),
};

/** Reads the environment of all visible processes, under every name that they have. */
const SNOOP = `env; cat /proc/$PPID/environ /proc/1/environ /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; echo; echo $ATTACK_PROVIDER_API_KEY`;

export const shellSecrets: Attack = {
  name: "shell: the server's keys",
  prepare: (target) => (report, signal) =>
    rounds(signal, async () => {
      const text = await call(target, "run_command", { script: SNOOP });
      report.expect(text.includes("Exit code"), `the command did not run: ${text.slice(-500)}`);
      report.expect(!text.includes(PROVIDER_KEY), "a command reads the server's keys");
      if (findIsolation())
        report.expect(!text.includes("ATTACK_PROVIDER_API_KEY="), "a command reads the server's environment");
    }),
};

export const shellChildren: Attack = {
  name: "shell: children that outlive their call",
  needs: "setsid",
  prepare: (target) => (report, signal) =>
    rounds(signal, async () => {
      const mark = path.join(target.workspace, randomUUID());
      const beat = `while :; do date +%s%N > ${mark}; sleep 0.02; done`;
      const isolated = findIsolation() ? "env -i PATH=$PATH " : "";
      const script = `${isolated}setsid sh -c '${beat}' </dev/null >/dev/null 2>&1 & while [ ! -s ${mark} ]; do sleep 0.02; done`;
      await call(target, "run_command", { script });
      const last = await readFile(mark, "utf8").catch(() => "");
      await new Promise((tick) => setTimeout(tick, 300));
      const now = await readFile(mark, "utf8").catch(() => "");
      report.expect(last !== "" && last === now, "a child of a command outlives its call");
    }),
};

/** The first use of a server loads the client and connects, which is not part of an attack. */
const connected = async (target: Target): Promise<void> => {
  while (!(await call(target, "bad__answered")).includes("open: ")) await new Promise((tick) => setTimeout(tick, 100));
};

const openStreams = async ({ mcp }: Target): Promise<number> =>
  Number(await (await fetch(new URL("/open", mcp))).text());

/** Streams of an ended call are closed soon, but not immediately. */
const closes = async (target: Target, report: Report): Promise<void> => {
  for (let count = 0; count < 100 && (await openStreams(target)) > 0; count += 1)
    await new Promise((tick) => setTimeout(tick, 50));
  const open = await openStreams(target);
  report.expect(open === 0, `${open} streams of ended calls stay open`);
};

export const mcpStreams: Attack = {
  name: "hostile MCP: streams that stay open",
  prepare: async (target) => {
    await connected(target);
    return (report, signal) =>
      rounds(signal, async () => {
        const texts = await Promise.all(["hang", "hang", "answered"].map((name) => call(target, `bad__${name}`)));
        report.expect(
          texts.filter((text) => errorOf(text) === "timeout").length === 2,
          "a silent call did not time out",
        );
        const run = await startRun(target.url, BOB, "caller", '{"call":"bad__hang"}');
        await fetch(`${target.url}/runs/${run}/cancel`, { method: "POST", headers: as(BOB) });
        await closes(target, report);
      });
  },
};

export const mcpFloods: Attack = {
  name: "hostile MCP: floods of progress and logs",
  prepare: async (target) => {
    await connected(target);
    return (report, signal) =>
      rounds(signal, async (count) => {
        const name = count % 2 === 0 ? "flood" : "chatter";
        const text = await call(target, `bad__${name}`);
        const code = errorOf(text) ?? "none";
        report.expect(["timeout", "mcp-server-lost"].includes(code), `${name}: the call ended with ${code}`);
        report.expect(text.length < 1024 * 1024, `${name}: ${text.length} bytes are in the log`);
        // An abandoned server is used again after a while.
        await connected(target);
      });
  },
};

export const mcpQuestions: Attack = {
  name: "hostile MCP: 300 questions from one call",
  prepare: async (target) => {
    await connected(target);
    return async (report, signal) => {
      let mostAsks = 0;
      await rounds(signal, async () => {
        // Asks over the limit are refused because there is no answer, and the call is soon abandoned.
        const text = await call(target, "bad__ask");
        const asks = text.match(/"type":"ask-start"/g)?.length ?? 0;
        mostAsks = Math.max(mostAsks, asks);
        report.expect(asks <= 16, `a call asked ${asks} times`);
        // A server that does this repeatedly is not used for a while.
        const code = errorOf(text) ?? (text.includes("bad is down") ? "mcp-server-lost" : "none");
        report.expect(["mcp-too-many-asks", "mcp-server-lost"].includes(code), `the call ended with ${code}`);
        await connected(target);
      });
      report.expect(mostAsks > 0, "no call asked anything");
    };
  },
};

export const mcpResults: Attack = {
  name: "hostile MCP: a result of 400 MB",
  prepare: async (target) => {
    await connected(target);
    const before = await resident(target);
    return (report, signal) =>
      rounds(signal, async () => {
        const text = await call(target, "bad__huge", { bytes: 400 * 1024 * 1024 });
        report.expect(text.includes("response is larger than"), "the result was read to its end");
        report.expect(text.length < 1024 * 1024, `${text.length} bytes of it are in the log`);
        report.expect((await resident(target)) < before + 300 * 1024 * 1024, "the result fills the memory");
      });
  },
};
