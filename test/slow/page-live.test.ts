import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { FrameLocator, Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import { native } from "../../src/dialects/native.ts";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser } from "../browsing.ts";

/** Three concurrent sub-agents, one of which asks the user, and then the answer. */
const team: Source = async function* (_, { answerTo }) {
  yield { type: "step-start", step: "s" };
  for (const name of ["ada", "bob", "cyd"]) {
    yield { type: "tool-start", call: `task-${name}`, name: "task" };
    yield { type: "tool-input-end", call: `task-${name}`, input: { name } };
  }
  yield { type: "step-end", step: "s", finish: "tools" };
  for (const name of ["ada", "bob", "cyd"]) {
    yield { type: "tool-execute", call: `task-${name}` };
    yield { type: "agent-start", agent: name, name, call: `task-${name}` };
    yield { type: "step-start", step: `s-${name}`, agent: name };
    yield { type: "tool-start", call: `look-${name}`, name: "look_up", agent: name };
    yield { type: "tool-input-end", call: `look-${name}`, agent: name, input: { name } };
    yield { type: "step-end", step: `s-${name}`, agent: name, finish: "tools" };
  }
  yield { type: "ask-start", ask: "q", kind: "approval", agent: "ada", call: "look-ada", title: "Allow look_up?" };
  const { answer } = await answerTo("q");
  for (const name of ["ada", "bob", "cyd"]) {
    yield { type: "tool-execute", call: `look-${name}`, agent: name };
    yield {
      type: "tool-end",
      call: `look-${name}`,
      agent: name,
      outcome: "ok",
      content: [{ type: "text", text: `found ${name}` }],
    };
    yield { type: "agent-end", agent: name, outcome: "done" };
    yield {
      type: "tool-end",
      call: `task-${name}`,
      outcome: "ok",
      content: [{ type: "text", text: `${name} is done` }],
    };
  }
  yield { type: "step-start", step: "t" };
  yield { type: "text-start", part: "p" };
  yield { type: "text-delta", part: "p", delta: `Allowed: ${answer?.allow}.` };
  yield { type: "text-end", part: "p" };
  yield { type: "step-end", step: "t", finish: "stop" };
};

const EMBED = /"type":"embeds","data":\{"embeds":\["([^"]+)"\]/;
/** The sandbox of Open WebUI's frames for embeds. */
const SANDBOX = "allow-scripts allow-forms allow-popups allow-downloads";

describeInBrowser("a run in a frame of another page", ({ serve, open, mistakes }: Browsing) => {
  const others: Server[] = [];
  afterEach(() => {
    for (const server of others.splice(0)) server.close().closeAllConnections();
  });
  /** A page of another origin that frames the URL in its query. */
  const around = async (sandbox: string | undefined = SANDBOX): Promise<string> => {
    const server = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<!doctype html><title>Around</title><script>const frame = document.createElement("iframe");
        frame.style.width = "100%"; ${sandbox === "" ? "" : `frame.setAttribute("sandbox", "${sandbox}");`}
        frame.src = new URLSearchParams(location.search).get("src"); document.documentElement.append(frame);
        addEventListener("message", ({ source, data }) => { if (source === frame.contentWindow && data.type === "iframe:height") frame.style.height = data.height + "px"; });
      </script>`);
    });
    others.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  /** Starts a run as an Open WebUI connection does, and reads the URLs of its two frames from the stream. */
  const start = async (url: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/open-webui/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", "runcast-disconnect": "continue", ...headers },
      body: JSON.stringify({ model: "demo:live", stream: true, messages: [{ role: "user", content: "go" }] }),
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
      for (;;) {
        const found = pattern.exec(text);
        if (found) return found;
        const { done, value } = await reader.read();
        if (done) throw new Error(`not found: ${pattern} in ${text}`);
        text += value;
      }
    };
    const [, answer = ""] = await until(EMBED);
    const read = async () => {
      text = text.slice(text.search(EMBED) + 20);
      return (await until(EMBED))[1]!;
    };
    return { read, answer, run: response.headers.get("runcast-run")!, until };
  };
  const framed = async (page: string, src: string, options = {}): Promise<[Page, FrameLocator]> => {
    const opened = await open(`${page}/?src=${encodeURIComponent(src)}`, options);
    return [opened, opened.frameLocator("iframe")];
  };
  const height = (page: Page) => page.locator("iframe").evaluate((frame) => frame.getBoundingClientRect().height);

  test("shows the work, answers questions in place, and leaves the text to the surrounding page", async () => {
    const page = await around();
    const url = await serve(team, { frameAncestors: [page], dialects: [native, openWebui] });
    const { answer, until } = await start(url);
    const [opened, frame] = await framed(page, answer);
    for (const name of ["ada", "bob", "cyd"]) await frame.getByText(name, { exact: true }).first().waitFor();
    await frame.getByRole("group", { name: "Question for you" }).getByRole("button", { name: "Allow" }).first().click();
    await until(/Allowed: true\./);
    await frame.locator('[data-run-end="done"]').waitFor();
    expect(await frame.getByText("Allowed: true.").count()).toBe(0);
    // A frame that posts no height stays at 150 px.
    await expect.poll(() => height(opened)).not.toBe(150);
    expect(await height(opened)).toBeGreaterThan(100);
    await frame.getByRole("button", { name: "Timeline" }).click();
    await frame.getByRole("list", { name: "Timeline" }).getByText("ada").first().waitFor();
  });

  test("the stored link shows the same and cannot answer", async () => {
    const page = await around();
    const url = await serve(team, { frameAncestors: [page], dialects: [native, openWebui], key: "correct-horse" });
    const { read, answer, run } = await start(url, { authorization: "Bearer correct-horse" });
    const tokenOf = (address: string) => new URL(address).searchParams.get("token")!;
    const answering = (token: string, path = `/runs/${run}/asks/q`) =>
      fetch(`${url}${path}?token=${token}`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: "null" },
        body: '{"allow":true}',
      }).then(({ status }) => status);
    expect(await answering(tokenOf(answer), `/runs/${run}/cancel`)).toBe(403);
    expect(await answering(tokenOf(answer), "/runs")).toBe(403);
    const other = await start(url, { authorization: "Bearer correct-horse" });
    expect(await answering(tokenOf(answer), `/runs/${other.run}/asks/q`)).toBe(403);
    expect(await answering(tokenOf(answer))).toBe(200);
    const kept = await read();
    expect(await answering(tokenOf(kept))).toBe(403);
    const [, frame] = await framed(page, kept);
    await frame.locator('[data-run-end="done"]').waitFor();
    await frame.getByText("cyd", { exact: true }).first().waitFor();
    const access = await fetch(`${url}/runs/${run}/access?token=${tokenOf(kept)}`);
    expect(await access.json()).toMatchObject({ watch: true, answer: false, cancel: false, share: false });
  });

  test("only configured pages can frame it, and none can frame the rest of the page", async () => {
    const [page, unlisted] = [await around(), await around("")];
    const url = await serve(team, { frameAncestors: [page], dialects: [native, openWebui] });
    const { answer, run } = await start(url);
    for (const [by, address] of [
      [unlisted, answer],
      [page, `${url}/?run=${run}`],
    ] as const) {
      const [opened] = await framed(by, address);
      await expect.poll(() => mistakes().join()).toMatch(/frame-ancestors|refused to connect|Refused to frame/i);
      expect(await opened.frameLocator("iframe").locator("[data-run], [data-live-view]").count()).toBe(0);
    }
    mistakes();
  });

  test("looks right in dark and light mode", async () => {
    const page = await around();
    const url = await serve(team, { frameAncestors: [page], dialects: [native, openWebui] });
    const { answer } = await start(url);
    for (const colorScheme of ["light", "dark"] as const) {
      const [, frame] = await framed(page, answer, { colorScheme });
      await frame.getByText("Allow look_up?").first().waitFor();
      const color = await frame.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);
      expect(color).toBe(colorScheme === "light" ? "rgb(247, 248, 250)" : "rgb(15, 18, 22)");
    }
  });
});
