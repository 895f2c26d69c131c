import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry, Event } from "../src/events.ts";
import { exportHtml } from "../src/html-export.ts";
import { buildHtml } from "../src/html-export/build.ts";
import { createSecretFinder } from "../src/html-export/secrets.ts";
import { memory } from "../src/logs/memory.ts";
import { page } from "../src/page.ts";
import { createState, fold, snapshot } from "../src/state.ts";
import { cpuTime } from "./cpu-time.ts";
import { arbitraryLog } from "./generate.ts";
import { serve, silent, start, until } from "./serving.ts";

const entriesOf = (events: readonly Event[]): Entry[] =>
  [
    { type: "run-start" as const, protocol: 1, run: "r", name: "test" },
    ...events,
    { type: "run-end" as const, outcome: "done" as const },
  ].map((event, index) => ({ seq: index + 1, at: 1_700_000_000_000 + index, event: event as Event }));

const saved = (entries: readonly Entry[], redact: readonly (string | RegExp)[] = []) => {
  const html = buildHtml({ run: "r", script: "export {};", redact }, entries, [], 0);
  const [, json = ""] = /<script type="application\/json" id="run">(.*?)<\/script>/s.exec(html) ?? [];
  const { entries: kept, files } = JSON.parse(json) as { entries: Entry[]; files: Record<string, string> };
  const [, summary = ""] = /<summary>What was removed<\/summary>(.*?)<\/details>/s.exec(html) ?? [];
  return { html, kept, files, summary };
};

const words = (text: string): Event[] => [
  { type: "step-start", step: "s" },
  { type: "text-start", part: "p" },
  { type: "text-delta", part: "p", delta: text },
  { type: "text-end", part: "p" },
];

describe("secrets", () => {
  test.each([
    ["an authorization header", "curl -H 'Authorization: Basic dXNlcjpwYXNz' x", "dXNlcjpwYXNz"],
    ["a bearer string", "use Bearer abcDEF123.456-789 here", "abcDEF123.456-789"],
    ["an OpenAI key", "OPENAI sk-proj-abcdefghijklmnop1234567890", "sk-proj-abcdefghijklmnop1234567890"],
    ["a GitHub token", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"],
    ["an AWS key", "id AKIAIOSFODNN7EXAMPLE.", "AKIAIOSFODNN7EXAMPLE"],
    [
      "a Runcast token",
      "/?run=x&token=rct_x.1794830924340.K8ueYu8UJ092qXOoqclgcGYBVlk0",
      "K8ueYu8UJ092qXOoqclgcGYBVlk0",
    ],
    ["a signed token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN", "dozjgNryP4J3jVmN"],
    ["a password in a URL", "postgres://app:hunter2222@db/x", "hunter2222"],
    ["a variable", "DB_PASSWORD=hunter2222\nnext", "hunter2222"],
    ["a field in text", `{"apiKey": "abc\\"def123456"}`, "def123456"],
    ["a cookie", "Set-Cookie: session=abcdef0123456789; Path=/", "abcdef0123456789"],
    [
      "a private key",
      "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
      "MIIEpAIBAAKCAQEA",
    ],
  ])("%s is removed, and the file lists it", async (_, text, secret) => {
    const { html, summary } = saved(entriesOf(words(text)));
    expect(html).not.toContain(secret);
    expect(summary).toContain("removed");
    expect(html).toContain("[redacted]");
  });

  test.each([
    "The password must have 12 characters.",
    "max_tokens: 4096, input_tokens: 12",
    "Reset your token in the settings; secrets are fun.",
    "skip-navigation and sk-short",
    "https://example.org/?page=2&sort=key",
  ])("ordinary text stays: %s", async (text) => {
    const { kept, summary } = saved(entriesOf(words(text)));
    expect(JSON.stringify(kept)).toContain(JSON.stringify(text).slice(1, -1));
    expect(summary).toContain("nothing was removed");
  });

  test("fields are removed by name in any container, and so are other occurrences of the same secret", async () => {
    const secret = "correct horse battery";
    const { html, summary } = saved(
      entriesOf([
        { type: "step-start", step: "s" },
        { type: "text-start", part: "p" },
        { type: "text-delta", part: "p", delta: `I will log in with ${secret}.` },
        { type: "text-end", part: "p" },
        { type: "tool-start", call: "c", name: "login" },
        {
          type: "tool-input-end",
          call: "c",
          input: { user: "ines", password: secret, nested: [{ accessToken: "t0ken-value" }] },
        },
        { type: "step-end", step: "s", finish: "tools" },
        { type: "tool-execute", call: "c" },
        { type: "tool-end", call: "c", outcome: "ok", value: { session: { api_key: "k3y-value", count: 3 } } },
      ]),
    );
    for (const hidden of [secret, "t0ken-value", "k3y-value"]) expect(html).not.toContain(hidden);
    expect(html).toContain("ines");
    expect(summary).toContain("in fields with such names");
    expect(summary).toContain("found elsewhere");
  });

  test("a secret is found however it is split, and nothing else is lost", async () => {
    const secret = "sk-proj-abcdefghijklmnop1234567890";
    const text = `before ${secret} after, and ${secret}`;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 12 }), async (cuts) => {
        const at = [0, ...cuts.toSorted((one, other) => one - other), text.length];
        const deltas = at.slice(1).map((end, index) => text.slice(at[index], end));
        const events: Event[] = [
          { type: "step-start", step: "s" },
          { type: "text-start", part: "p" },
          ...deltas.map((delta) => ({ type: "text-delta" as const, part: "p", delta })),
          { type: "text-end", part: "p" },
        ];
        const entries = entriesOf(events);
        const { kept } = saved(entries);
        expect(kept.map(({ seq, at: time, event }) => [seq, time, event.type])).toEqual(
          entries.map(({ seq, at: time, event }) => [seq, time, event.type]),
        );
        const shown = kept.flatMap(({ event }) => (event.type === "text-delta" ? [event.delta] : [])).join("");
        expect(shown).toBe("before [redacted] after, and [redacted]");
      }),
      { numRuns: 40 },
    );
  });

  test("arguments that stream as JSON are redacted", async () => {
    const { kept } = saved(
      entriesOf([
        { type: "step-start", step: "s" },
        { type: "tool-start", call: "c", name: "login" },
        ...[`{"pass`, `word":"hun`, `ter2", "user":"ines"}`].map((delta) => ({
          type: "tool-input-delta" as const,
          call: "c",
          delta,
        })),
        { type: "tool-input-end", call: "c" },
      ]),
    );
    const state = createState();
    for (const entry of kept) fold(state, entry);
    expect(state.nodes.get("c")).toMatchObject({ input: { password: "[redacted]", user: "ines" } });
  });

  test("configured texts, a provider's opaque values and the stored request are removed", async () => {
    const entries = entriesOf(words("Project Bluebird costs 4711 euros"));
    const [first, ...rest] = entries;
    const start = { ...first!.event, request: { file: "f", mediaType: "application/json", bytes: 3 } } as Event;
    const withMeta = [
      { ...first!, event: start },
      ...rest.map((entry) => ({ ...entry, event: { ...entry.event, meta: { sealed: "opaque" } } })),
    ];
    const { html, summary } = saved(withMeta, ["Bluebird", /\d{4} euros/]);
    for (const hidden of ["Bluebird", "4711", "opaque", `"request"`]) expect(html).not.toContain(hidden);
    expect(summary).toContain("values that this server is configured to remove: 2 removed");
  });

  /** With a backtracking pattern, each of these would take a thousand times as long as ordinary text. */
  test.each([
    ["signed tokens", "eyJ-"],
    ["private keys", "-----BEGIN PRIVATE KEY-----"],
    ["fields", "password="],
    ["quoted fields", `password="`],
    ["parameters", "?token=a&"],
    ["addresses", "a://a:"],
    ["schemes", "a."],
    ["headers", "authorization: "],
    ["bearers", "bearer bearer-"],
    ["cookies", "cookie: "],
    ["keys", "sk-"],
  ])("hostile text takes about as long as ordinary text: %s", (_, piece) => {
    expect(time(piece, 500_000) / time("plain words ", 500_000)).toBeLessThan(150);
  });

  test("many secrets are searched for in one pass", () => {
    const finder = createSecretFinder([]);
    const secrets = Array.from({ length: 20_000 }, (_, index) => `same beginning ${index} ${(index * 7919) % 20_011}`);
    for (const secret of secrets) finder.learn(secret);
    const text = secrets.join("\n");
    const found = finder.find(text).map(({ start, end }) => text.slice(start, end));
    expect(found).toEqual(secrets);
    expect(finder.find("same beginning of something else")).toEqual([]);
  });

  test("a known secret is found within, around and next to others", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 8, maxLength: 12 }), { maxLength: 6 }),
        fc.string({ unit: fc.constantFrom("a", "b", "-"), maxLength: 200 }),
        (secrets, text) => {
          const finder = createSecretFinder([]);
          for (const secret of secrets) finder.learn(secret);
          const hidden = new Set(
            finder.find(text).flatMap(({ start, end }) => Array.from({ length: end - start }, (_, at) => start + at)),
          );
          const expected = new Set<number>();
          for (const secret of secrets)
            for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1))
              for (let index = at; index < at + secret.length; index++) expected.add(index);
          expect(hidden).toEqual(expected);
        },
      ),
    );
  });
});

/** Milliseconds to search a repeated text, after a warm-up. */
const time = (piece: string, length: number): number => {
  const finder = createSecretFinder([]);
  const text = piece.repeat(Math.ceil(length / piece.length));
  finder.find(text);
  return cpuTime(() => finder.find(text));
};

describe("while a run is exported", () => {
  test("other requests are served, and exports over the limit are refused with a hint", async () => {
    const log = memory();
    const { url } = await serve(silent, { log, page: async () => new Response("export {};") });
    await log.append("slow", entriesOf(words("eyJ-".repeat(500_000))));
    const order: string[] = [];
    const exported = fetch(`${url}/runs/slow/export.html`).then((response) => (order.push("export"), response));
    for (let count = 0; count < 3; count++) {
      expect((await fetch(`${url}/health`)).status).toBe(200);
      order.push("health");
    }
    expect((await exported).status).toBe(200);
    expect(order.indexOf("export")).toBe(3);

    await log.append(
      "large",
      entriesOf(
        Array.from({ length: 80 }, (_, index) => ({ type: "notice", level: "info", text: `${index}`.repeat(500_000) })),
      ),
    );
    const refused = await fetch(`${url}/runs/large/export.html`);
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({
      error: { code: "too-large", hint: expect.stringContaining("export.jsonl") },
    });
  });
});

describe("the file", () => {
  test("contains the run unchanged if nothing in it looks like a secret", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog(3), async (entries) => {
        const { kept } = saved(entries);
        const [one, other] = [createState(), createState()];
        for (const entry of entries) fold(one, entry);
        for (const entry of kept) fold(other, entry);
        expect(snapshot(other)).toEqual(snapshot(one));
      }),
      { numRuns: 50 },
    );
  });

  test("nothing in a run can close the element that contains it, or the title", async () => {
    const evil = `</script><script>alert(1)</script><!--\u2028<img src=x onerror=alert(1)>`;
    const entries = entriesOf(words(evil));
    const start = {
      ...entries[0]!.event,
      message: { role: "user", content: [{ type: "text", text: `</title>${evil}` }] },
    } as Event;
    const { html, kept } = saved([{ ...entries[0]!, event: start }, ...entries.slice(1)]);
    expect(html.match(/<\/?script/g)).toHaveLength(4);
    expect(html).not.toContain("<img");
    expect(kept.some(({ event }) => event.type === "text-delta" && event.delta === evil)).toBe(true);
  });

  test("forbids the network, and allows only its own script by hash", async () => {
    const { html } = saved(entriesOf(words("hi")));
    const [, policy = ""] = /Content-Security-Policy" content="([^"]+)"/.exec(html) ?? [];
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:; /);
    expect(policy).not.toMatch(/unsafe|http|\*/);
  });

  test("includes files that are small enough, without secrets in text, and reports how many are left out", async () => {
    const log = memory();
    const put = (text: string, mediaType: string) => log.put("r", Buffer.from(text), { mediaType, name: "a" });
    const small = await put("token: ghp_abcdefghijklmnopqrstuvwxyz0123456789", "text/plain");
    const image = await put("PNG", "image/png");
    const large = await put("x".repeat(1_100_000), "text/plain");
    const files = [small, image, large].map(({ file, mediaType }) => ({
      type: "file" as const,
      file,
      mediaType,
      name: "a",
    }));
    await log.append("r", entriesOf(files));
    const html = Buffer.from(await exportHtml(log, "r", { script: "" })).toString();
    expect(html).toContain("too many for one page: 1 removed");
    const address = (file: string) => new RegExp(`"${file}":"([^"]+)"`).exec(html)?.[1];
    expect(address(image.file)).toMatch(/^data:image\/png;base64,/);
    expect(Buffer.from(address(small.file)!.split(",")[1]!, "base64").toString()).toBe("token: [redacted]");
    expect(address(large.file)).toBeUndefined();
  });

  test("is served for a run, even with a token; if the page was not built, the server reports that", async () => {
    const built = page();
    const { url } = await serve(
      async function* () {
        yield* words("Bearer abcdefgh12345678 and Bluebird");
      },
      { key: "a-long-enough-key", redact: ["Bluebird"], ...(built && { page: built }) },
    );
    const headers = { authorization: "Bearer a-long-enough-key", "content-type": "application/json" };
    const started = await fetch(`${url}/runs`, {
      method: "POST",
      headers,
      body: JSON.stringify({ message: "hi", run: "r" }),
    });
    await started.text();
    const { token } = (await (await fetch(`${url}/runs/r/links`, { method: "POST", headers, body: "{}" })).json()) as {
      token: string;
    };
    const response = await fetch(`${url}/runs/r/export.html?token=${token}`);
    expect(response.headers.get("content-disposition")).toBe(`attachment; filename="r.html"`);
    expect(response.headers.get("content-security-policy")).toBe("sandbox allow-scripts");
    const html = await response.text();
    expect(html).toContain("customElements");
    expect(html).not.toMatch(/abcdefgh12345678|Bluebird/);
    expect((await fetch(`${url}/element.js`)).headers.get("content-type")).toContain("text/javascript");
    const bare = await serve(async function* () {
      yield* words("hi");
    });
    const run = await start(bare.url);
    await until(async () => (await fetch(`${bare.url}/runs/${run}/export.html`)).status === 501);
    const { error } = (await (await fetch(`${bare.url}/runs/${run}/export.html`)).json()) as {
      error: { hint: string };
    };
    expect(error.hint).toContain("npm run build");
  });
});
