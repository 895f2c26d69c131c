import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import type { Entry, Event } from "../../src/events.ts";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, violations } from "../browsing.ts";
import { onStop } from "../serving.ts";

/** A third-party page: another origin, no build, only the element. */
const foreignSite = async () => {
  let body = "";
  const server = createServer((_, response) =>
    response
      .writeHead(200, { "content-type": "text/html; charset=utf-8" })
      .end(
        `<!doctype html><html lang="en"><title>Mine</title><link rel="icon" href="data:,"><main><h1>Mine</h1>${body}</main></html>`,
      ),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onStop(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const show = (html: string): string => {
    body = html;
    return origin;
  };
  return { origins: [origin], show };
};
const loads = (url: string) => `<script type="module" src="${url}/element.js"></script>`;

const gated = () => {
  const gate = Promise.withResolvers<void>();
  const source: Source = async function* (_, context) {
    yield { type: "step-start", step: "s" };
    yield { type: "thinking-start", part: "t" };
    yield { type: "thinking-delta", part: "t", delta: "Let me think" };
    yield { type: "thinking-end", part: "t" };
    yield { type: "text-start", part: "p" };
    yield { type: "text-delta", part: "p", delta: "Some **bold** words, `code` and\n\n- one\n- two\n\n```\nlet x" };
    yield { type: "text-delta", part: "p", delta: " = 1;\n```\nDone." };
    yield { type: "text-end", part: "p" };
    yield { type: "tool-start", call: "c", name: "look" };
    yield { type: "tool-input-delta", call: "c", delta: `{"at":"the ` };
    yield { type: "tool-input-delta", call: "c", delta: `sea"}` };
    yield { type: "tool-input-end", call: "c" };
    yield { type: "step-end", step: "s", finish: "tools" };
    yield { type: "ask-start", ask: "q", kind: "approval", call: "c", title: "Allow look?" };
    await context.answerTo("q");
    yield { type: "tool-execute", call: "c" };
    await gate.promise;
    yield { type: "agent-start", agent: "a", call: "c", name: "diver", task: "Dive" };
    yield { type: "step-start", step: "u", agent: "a" };
    yield { type: "text-start", part: "w", agent: "a" };
    yield { type: "text-delta", part: "w", agent: "a", delta: "It is deep." };
    yield { type: "text-end", part: "w", agent: "a" };
    yield { type: "step-end", step: "u", agent: "a", finish: "stop" };
    yield { type: "agent-end", agent: "a", outcome: "done" };
    yield { type: "tool-end", call: "c", outcome: "error", error: { code: "x", message: "Too deep" } };
  };
  return { source, gate };
};

/** A text, and a call that starts a sub-agent and does not end. */
const delegating = (task: string): readonly Entry[] =>
  (
    [
      { type: "run-start", protocol: 1, run: "r", name: "agent" },
      { type: "step-start", step: "s" },
      { type: "text-start", part: "p" },
      { type: "text-delta", part: "p", delta: "Let me ask a diver." },
      { type: "text-end", part: "p" },
      { type: "tool-start", call: "c", name: "task" },
      { type: "tool-input-end", call: "c", input: { task } },
      { type: "step-end", step: "s", finish: "tools" },
      { type: "tool-execute", call: "c" },
      { type: "agent-start", agent: "a", call: "c", name: "diver", task },
    ] satisfies readonly Event[]
  ).map((event, index) => ({ seq: index + 1, at: 1000, event }));

describeInBrowser("<run-view>", ({ serve, open, mistakes }: Browsing) => {
  test("shows a run live on a page of another origin, with a token, and fires events", async () => {
    const { source, gate } = gated();
    const { show } = await foreignSite();
    const url = await serve(source, { key: "a-long-enough-key" });
    const client = createClient({ url, key: "a-long-enough-key" });
    const handle = client.start({ message: "Look" });
    await new Promise<void>((resolve) => {
      const wait = () => (handle.state.nodes.has("q") ? resolve() : setTimeout(wait, 5));
      wait();
    });
    const headers = { authorization: "Bearer a-long-enough-key", "content-type": "application/json" };
    const response = await fetch(`${url}/runs/${handle.run}/links`, { method: "POST", headers, body: "{}" });
    const { token } = (await response.json()) as { token: string };
    const page = await open(
      show(`${loads(url)}<run-view url="${url}" run="${handle.run}" token="${token}"></run-view>
        <p id="events"></p><script type="module">
        const view = document.querySelector("run-view"), log = document.querySelector("#events");
        for (const name of ["run-connection", "run-end"]) view.addEventListener(name, ({ detail }) => {
          log.append(" ", detail.status ?? "end " + detail.outcome); });
        </script>`),
    );
    const view = page.locator("run-view");
    await view.getByText("Waiting for an answer").waitFor();
    await view.getByText("Allow look?").waitFor();
    await view.getByText("live").waitFor();
    expect(await view.locator("strong").innerText()).toBe("bold");
    expect(await view.locator(".text li").allInnerTexts()).toEqual(["one", "two"]);
    expect(await view.locator("pre.code").innerText()).toBe("let x = 1;\n");
    expect(await view.locator(".call[data-state=pending]").count()).toBe(1);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }
    await handle.answer("q", { allow: true });
    await view.locator(".call[data-state=executing] .time", { hasText: /^\d+ s$/ }).waitFor();
    gate.resolve();
    await handle.finished;
    await page.getByText("finished end done").waitFor();
    await view.getByText("Allowed").waitFor();
    await view.getByText("Too deep").waitFor();
    await view.getByText("diver").click();
    await view.getByText("It is deep.").waitFor();
    expect(await view.locator(".call[data-state=error] .agent").count()).toBe(1);
    expect(await page.locator("#events").innerText()).toMatch(/live finished end done$/);
    expect(await violations(page)).toEqual([]);
    await view.evaluate((element) => element.setAttribute("run", "nobody"));
    await view.getByText("read-only").or(view.getByText("only allows reading one run")).first().waitFor();
    expect(mistakes()).toEqual([]);
  });

  test("text of any length is only appended to", async () => {
    const events: Event[] = [
      { type: "step-start", step: "s" },
      { type: "text-start", part: "p" },
    ];
    for (let index = 0; index < 4000; index++) events.push({ type: "text-delta", part: "p", delta: `word${index} ` });
    events.push({ type: "text-delta", part: "p", delta: "\n```\n" });
    for (let index = 0; index < 2000; index++)
      events.push({ type: "text-delta", part: "p", delta: `line ${index};${index % 5 ? "" : "\n"}` });
    events.push({ type: "text-delta", part: "p", delta: "\n```\n" });
    for (let index = 0; index < 2000; index++)
      events.push({ type: "text-delta", part: "p", delta: `- item ${index}\n` });
    const go = Promise.withResolvers<void>();
    const { origins, show } = await foreignSite();
    const talking: Source = async function* () {
      yield events[0]!;
      await go.promise;
      for (const [index, event] of events.slice(1).entries()) {
        if (index % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
        yield event;
      }
    };
    const url = await serve(talking, { origins });
    const handle = createClient({ url }).start({ message: "Talk" });
    const page = await open(show(`${loads(url)}<run-view url="${url}" run="${handle.run}"></run-view>`));
    const view = page.locator("run-view");
    await view.getByText("live").waitFor();
    await view.evaluate((element) => {
      const seen = { added: 0, removed: 0, removedLength: 0 };
      new MutationObserver((records) => {
        for (const { addedNodes, removedNodes } of records) {
          seen.removed = Math.max(seen.removed, removedNodes.length);
          for (const node of removedNodes) seen.removedLength = Math.max(seen.removedLength, node.textContent!.length);
          for (const node of addedNodes) {
            const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
            if (node instanceof Text) seen.added = Math.max(seen.added, node.length);
            while (texts.nextNode()) seen.added = Math.max(seen.added, (texts.currentNode as Text).length);
          }
        }
      }).observe(element.shadowRoot!, { childList: true, subtree: true });
      Object.assign(window, { seen });
    });
    go.resolve();
    await view.getByText("Finished").waitFor();
    const seen = await page.evaluate(() => (window as unknown as { seen: Record<string, number> }).seen);
    // Only a section of bounded length is redrawn while it grows, and nothing before it.
    expect(seen["removed"]).toBeLessThanOrEqual(1);
    expect(Math.max(seen["added"]!, seen["removedLength"]!)).toBeLessThanOrEqual(8192);
    const text = events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : [])).join("");
    const shown = await view.locator(".text").evaluate((element) => element.textContent);
    const bare = (value: string) => value.replace(/```|^- |\s/gm, "");
    expect(bare(shown ?? "")).toBe(bare(text));
    expect(await view.locator(".text li").count()).toBe(2000);
  });

  test("replays given entries forward and backward, and accepts others", async () => {
    const { origins, show } = await foreignSite();
    const url = await serve(undefined, { origins });
    const { run } = await createClient({ url }).start({ message: "How is Lantern doing?" }).finished;
    const page = await open(show(`${loads(url)}<run-view controls></run-view>`));
    await page.evaluate(async (address) => {
      const lines = (await (await fetch(address)).text()).trim().split("\n");
      Object.assign(document.querySelector("run-view")!, { entries: lines.map((line) => JSON.parse(line)) });
    }, `${url}/runs/${run}/export.jsonl`);
    const view = page.locator("run-view");
    await view.getByText("Finished").waitFor();
    const text = () => view.evaluate((element) => element.shadowRoot!.querySelector(".items")!.textContent);
    const whole = await text();
    const slider = view.getByRole("slider", { name: "Event" });
    const length = Number(await slider.getAttribute("max"));
    const seen = new Map<number, string | null>();
    for (let seq = 0; seq <= length; seq += 23) {
      await slider.fill(`${seq}`);
      seen.set(seq, await text());
    }
    for (const [seq, before] of [...seen].reverse()) {
      await slider.fill(`${seq}`);
      expect(await text(), `event ${seq}`).toBe(before);
    }
    await slider.fill(`${length}`);
    expect(await text()).toBe(whole);
    await view.evaluate((element) => element.removeAttribute("controls"));
    await slider.waitFor({ state: "detached" });
    expect(await text()).toBe(whole);
  });

  test("a sub-agent is as wide as the text around it, and shows its task where its line is too short", async () => {
    const task = "Look at the bottom of the sea, and say what is there";
    const { origins, show } = await foreignSite();
    const page = await open(show(`${loads(await serve(undefined, { origins }))}<run-view></run-view>`));
    await page.locator("run-view").evaluate(
      async (element, entries) => {
        await customElements.whenDefined("run-view");
        Object.assign(element, { entries: JSON.parse(entries) });
      },
      JSON.stringify(delegating(task)),
    );
    const left = async (selector: string) => (await page.locator(selector).boundingBox())!.x;
    expect(await left(".agent")).toBe(await left(".run .text"));
    const whole = page.locator(".agent .whole");
    expect(await whole.isVisible()).toBe(false);
    await page.setViewportSize({ width: 390, height: 700 });
    expect(await whole.isVisible()).toBe(true);
    expect(await whole.innerText()).toBe(task);
    expect(await violations(page)).toEqual([]);
  });

  test("text that is designed to be slow is only text", async () => {
    const { origins, show } = await foreignSite();
    const url = await serve(undefined, { origins });
    const page = await open(show(`${loads(url)}<run-view></run-view>`));
    const bombs = ["[(", "[a](", "**", "*a", "`", "> ", "- ", "# ", "\u202e", "```\n", "| a ", "&lt;<b>", "1. ", "_- "];
    const lengths = await page.evaluate(async (pieces) => {
      await customElements.whenDefined("run-view");
      const view = document.querySelector("run-view")!;
      const found: number[] = [];
      for (const piece of pieces) {
        const text = piece.repeat(200_000 / piece.length);
        const events = [
          { type: "run-start", protocol: 1, run: "r", name: "x" },
          { type: "step-start", step: "s" },
          { type: "text-start", part: "p" },
          { type: "text-delta", part: "p", delta: text },
          { type: "run-end", outcome: "done" },
        ];
        view.entries = events.map((event, index) => ({ seq: index + 1, at: index, event })) as typeof view.entries;
        await new Promise((resolve) => setTimeout(resolve));
        found.push(view.shadowRoot!.querySelector(".text")!.textContent!.length);
      }
      return found;
    }, bombs);
    expect(lengths).toHaveLength(bombs.length);
    expect(Math.max(...lengths)).toBeGreaterThan(190_000);
    expect(await page.locator("run-view b, run-view a").filter({ hasText: "<" }).count()).toBe(0);
  });
});
