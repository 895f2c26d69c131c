import { describe, expect, test } from "vitest";
import { type Action, type Key, type OwnedRun, type Principal, LOCAL, NOBODY, RIGHTS } from "../src/access.ts";
import { actorOf, holderOf, linkTo, may, onBehalfOf, principalOf, startedBy } from "../src/access.ts";
import { native } from "../src/dialects/native.ts";
import { openWebui } from "../src/dialects/open-webui.ts";
import { openaiResponses } from "../src/dialects/openai-responses.ts";
import type { EventOf } from "../src/events.ts";
import type { Source } from "../src/source.ts";
import { post, textSource, serve } from "./serving.ts";

const secret = (name: string) => `secret-of-${name}`;
const key = (name: string, more: Omit<Key, "name" | "key"> = {}): Key => ({ name, key: secret(name), ...more });

const KEYS: readonly Key[] = [
  key("boss", { rights: ["admin"] }),
  key("alice"),
  key("bob"),
  key("screen", { user: "alice", rights: ["watch"] }),
  key("starter", { user: "alice", rights: ["start"] }),
  key("phone", { user: "alice", rights: ["answer"] }),
  key("front", { onBehalf: true }),
  key("mute", { rights: [] }),
];

type Row = Readonly<Record<"alice" | "bob" | "nobody", string>>;
const ALL = "watch answer cancel share delete";

/** What each principal may do with the runs of Alice, of Bob and of no user. */
const TABLE: Readonly<Record<string, Row>> = {
  root: { alice: ALL, bob: ALL, nobody: ALL },
  boss: { alice: ALL, bob: ALL, nobody: ALL },
  alice: { alice: ALL, bob: "", nobody: "" },
  bob: { alice: "", bob: ALL, nobody: "" },
  screen: { alice: "watch share", bob: "", nobody: "" },
  starter: { alice: "cancel delete", bob: "", nobody: "" },
  phone: { alice: "answer cancel", bob: "", nobody: "" },
  front: { alice: "", bob: "", nobody: "" },
  "front for alice": { alice: ALL, bob: "", nobody: "" },
  "root for bob": { alice: "", bob: ALL, nobody: "" },
  mute: { alice: "", bob: "", nobody: "" },
  link: { alice: "watch", bob: "", nobody: "" },
  none: { alice: "", bob: "", nobody: "" },
};
const STARTS = new Set(["root", "boss", "alice", "bob", "starter", "front", "front for alice", "root for bob"]);
const ACTIONS = ["watch", "answer", "cancel", "share", "delete"] as const satisfies readonly Action[];
const cells = Object.entries(TABLE).flatMap(([who, row]) =>
  Object.entries(row).flatMap(([owner, allowed]) =>
    ACTIONS.map((action) => ({ who, owner, action, allowed: allowed.split(" ").includes(action) })),
  ),
);

describe("who may do what, by the rules alone", () => {
  const principals: Readonly<Record<string, Principal>> = {
    root: principalOf(holderOf(secret("root"))),
    ...Object.fromEntries(KEYS.map((each) => [each.name, principalOf(each)])),
    "front for alice": onBehalfOf(principalOf(key("front", { onBehalf: true })), { id: "alice" }),
    "root for bob": onBehalfOf(principalOf(holderOf(secret("root"))), { id: "bob" }),
    link: linkTo({ id: "l", run: "run-of-alice", token: "rct_", expires: 0 }),
    none: NOBODY,
  };
  const runs: Readonly<Record<string, OwnedRun>> = {
    alice: { run: "run-of-alice", user: "alice" },
    bob: { run: "run-of-bob", user: "bob" },
    nobody: { run: "run-of-nobody" },
  };
  test.each(cells)("$who, $action, a run of $owner: $allowed", ({ who, owner, action, allowed }) => {
    expect(may(principals[who]!, action, runs[owner]!)).toBe(allowed);
  });

  test("start needs its right, and no run", () => {
    expect(Object.keys(TABLE).filter((who) => may(principals[who]!, "start"))).toEqual([...STARTS]);
  });

  test("without keys everything is allowed, and user names in requests are trusted", () => {
    for (const action of ACTIONS) for (const run of Object.values(runs)) expect(may(LOCAL, action, run)).toBe(true);
    expect(startedBy(LOCAL, { id: "carol" })).toEqual({ id: "carol" });
    expect([startedBy(LOCAL, undefined), actorOf(LOCAL)]).toEqual([undefined, undefined]);
  });

  test("user names in requests are trusted only with a key for others", () => {
    const carol = { id: "carol" };
    const who = (name: string) => startedBy(principals[name]!, carol)?.id;
    expect(["root", "alice", "screen", "front"].map(who)).toEqual(["carol", "alice", "alice", "carol"]);
    expect(startedBy(principals["front"]!, undefined)).toEqual({ id: "front" });
    expect(startedBy(principals["root"]!, undefined)).toBeUndefined();
  });
});

/** Asks, and waits for the answer. */
const asking: Source = async function* (_, { answerTo }) {
  yield { type: "ask-start", ask: "ok", kind: "confirmation" };
  await answerTo("ok");
};

const setUp = async (source: Source) => {
  const dialects = [native, openaiResponses, openWebui];
  const { url, server } = await serve(source, { keys: KEYS, key: secret("root"), dialects });
  const bearer = (who: string): Record<string, string> => {
    if (who === "none") return {};
    const [name = "", user] = who.split(" for ");
    const authorization = `Bearer ${who.startsWith("rct_") ? who : secret(name)}`;
    return { authorization, ...(user !== undefined && { "runcast-user": user }) };
  };
  const start = async (who: string, body: object = {}) => {
    const headers = { accept: "application/json", ...bearer(who) };
    const response = await post(`${url}/runs`, { message: "hi", ...body }, headers);
    return { status: response.status, ...((await response.json()) as { run: string; error?: { code: string } }) };
  };
  const get = (who: string, path: string) => fetch(url + path, { headers: bearer(who) });
  const startOf = async (run: string): Promise<EventOf<"run-start">> => {
    const { value } = await (await get("root", `/runs/${run}/export.jsonl`)).body!.getReader().read();
    return JSON.parse(Buffer.from(value!).toString().split("\n")[0]!).event;
  };
  return { url, server, bearer, start, get, startOf };
};

describe("who may do what, over HTTP", () => {
  const STARTER: Readonly<Record<string, string>> = { alice: "alice", bob: "bob", nobody: "root" };

  test.each(Object.keys(TABLE))("%s", async (who) => {
    const { url, bearer, start, get } = await setUp(asking);
    const requests = (name: string, run: string): Readonly<Record<string, () => Promise<Response>[]>> => ({
      watch: () => ["", "/events", "/export.jsonl", "/files/none"].map((path) => get(name, `/runs/${run}${path}`)),
      answer: () => [post(`${url}/runs/${run}/asks/ok`, { allow: true }, bearer(name))],
      cancel: () => [post(`${url}/runs/${run}/cancel`, {}, bearer(name))],
      share: () => [post(`${url}/runs/${run}/links`, {}, bearer(name))],
      delete: () => [fetch(`${url}/runs/${run}`, { method: "DELETE", headers: bearer(name) })],
    });
    for (const { owner, action, allowed } of cells.filter((cell) => cell.who === who)) {
      const { run } = await start(STARTER[owner]!);
      const linked = owner === "alice" ? run : (await start("alice")).run;
      const shared = await post(`${url}/runs/${linked}/links`, {}, bearer("alice"));
      const name = who === "link" ? ((await shared.json()) as { token: string }).token : who;
      for (const response of await Promise.all(requests(name, run)[action]!())) {
        const cell = `${action} a run of ${owner}: ${new URL(response.url).pathname}`;
        const code = response.ok ? "" : ((await response.json()) as { error: { code: string } }).error.code;
        if (response.ok) await response.body?.cancel();
        if (allowed && response.url.endsWith("/files/none")) expect(code, cell).toBe("unknown-file");
        else if (allowed) expect(response.ok, cell).toBe(true);
        else expect(code, cell).toMatch(/^(key-required|unknown-run|not-allowed|read-only-token)$/);
      }
    }
  });

  test("start, and the owner of the new run", async () => {
    const { start, startOf } = await setUp(textSource(["a"]));
    for (const who of Object.keys(TABLE).filter((name) => name !== "link")) {
      const { status, run } = await start(who, { user: { id: "carol", name: "Carol" } });
      expect(status, who).toBe(STARTS.has(who) ? 202 : who === "none" ? 401 : 403);
      if (!STARTS.has(who)) continue;
      const carol = { id: "carol", name: "Carol" };
      const believed = /^(root|front)/.test(who);
      const owner = believed ? carol : { id: who === "starter" ? "alice" : who };
      expect((await startOf(run)).user, who).toEqual(owner);
    }
  });

  test("lists contain only the caller's own runs, page by page", async () => {
    const { start, get } = await setUp(textSource(["a"]));
    const mine: string[] = [];
    for (let index = 0; index < 5; index++) {
      await start("bob");
      mine.unshift((await start("alice", { thread: "t" })).run);
      await start("root");
    }
    const list = async (who: string, query = "") =>
      (await (await get(who, `/runs?${query}`)).json()) as { runs: { run: string }[]; next?: string };
    const ids = ({ runs }: { runs: { run: string }[] }) => runs.map(({ run }) => run);
    expect(ids(await list("alice"))).toEqual(mine);
    expect(ids(await list("bob", "thread=t"))).toEqual([]);
    expect(ids(await list("boss"))).toHaveLength(15);
    const first = await list("alice", "limit=2");
    expect(ids(first)).toEqual(mine.slice(0, 2));
    const second = await list("alice", `limit=2&before=${first.next}`);
    expect(ids(second)).toEqual(mine.slice(2, 4));
    const third = await list("alice", `limit=2&before=${second.next}`);
    expect([ids(third), third.next]).toEqual([mine.slice(4), undefined]);
  });

  test("an id of another user's run, and continuing another user's run, are refused", async () => {
    const { url, start, bearer } = await setUp(textSource(["a"]));
    await start("alice", { run: "mine" });
    expect(await start("bob", { run: "mine" })).toMatchObject({ status: 409, error: { code: "run-taken" } });
    expect(await start("alice", { run: "mine" })).toMatchObject({ status: 202, started: false });
    const body = { model: "test", input: "more", previous_response_id: "resp_mine" };
    const continued = await post(`${url}/v1/responses`, body, bearer("bob"));
    expect(continued.status).toBe(404);
  });

  test("the log records who answered and who cancelled", async () => {
    const { url, start, bearer, get } = await setUp(asking);
    const { run } = await start("alice");
    await post(`${url}/runs/${run}/asks/ok`, { allow: true }, bearer("phone"));
    expect(await (await get("boss", `/runs/${run}/export.jsonl`)).text()).toContain('"by":"alice"');
    const other = await start("alice");
    await post(`${url}/runs/${other.run}/cancel`, {}, bearer("boss"));
    expect(await (await get("boss", `/runs/${other.run}/export.jsonl`)).text()).toContain("boss");
  });

  test("every right is in the table", () => {
    expect(new Set(KEYS.flatMap(({ rights = [] }) => rights))).toEqual(new Set(RIGHTS));
  });
});
