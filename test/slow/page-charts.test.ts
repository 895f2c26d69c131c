import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Frame, Locator, Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { agent } from "../../src/sources/agent.ts";
import { defineTool, type Tool } from "../../src/tool.ts";
import { http } from "../../src/tools/http.ts";
import { type Browsing, describeInBrowser, ended, send } from "../browsing.ts";
import { playing, script } from "../drive.ts";

const require = createRequire(import.meta.url);
const LIBRARIES: Readonly<Record<string, Buffer>> = {
  "/plotly.min.js": readFileSync(require.resolve("plotly.js-dist-min/plotly.min.js")),
  "/chart.umd.min.js": readFileSync(path.join(path.dirname(require.resolve("chart.js")), "chart.umd.min.js")),
};
const PATIENCE = { timeout: 40_000 };

/** Two charts, each with its own click handler. */
const plotlyPage = (
  cdn: string,
): string => `<!doctype html><title>Sales</title><script src="${cdn}/plotly.min.js"></script>
<div id="a" style="height:240px"></div><div id="b" style="height:240px"></div><output>nothing clicked</output><script>
const out = document.querySelector("output");
const draw = (id, x, y) => Plotly.newPlot(id, [{ type: "bar", x, y }], { title: { text: id } }).then((box) =>
  box.on("plotly_click", ({ points: [point] }) => { out.textContent = id + ": " + point.x + " is " + point.y; }));
draw("a", ["Q1", "Q2"], [3, 5]);
draw("b", ["Bern", "Oslo"], [20, 12]);
</script>`;

/** Two charts of data that the page fetches from its own origin. A click on one changes the other. */
const chartPage = (cdn: string): string => `<!doctype html><html><head><title>Traffic</title>
<script src="${cdn}/chart.umd.min.js"></script></head><body>
<div style="height:220px"><canvas id="days"></canvas></div><div style="height:220px"><canvas id="hours"></canvas></div>
<output>nothing clicked</output><script>
fetch("data.json").then((response) => response.json()).then(({ days, hours }) => {
  const options = () => ({ maintainAspectRatio: false, animation: false, plugins: { legend: { display: false } } });
  const labels = Object.keys(days);
  const detail = new Chart("hours", { type: "line", data: { labels: [6, 12, 18], datasets: [{ data: [] }] }, options: options() });
  new Chart("days", { type: "bar", data: { labels, datasets: [{ data: Object.values(days) }] }, options: { ...options(),
    onClick: (_, [element]) => {
      if (!element) return;
      detail.data.datasets[0].data = hours[labels[element.index]];
      detail.update();
      document.querySelector("output").textContent = labels[element.index] + ": " + hours[labels[element.index]].join(" ");
    } } });
  document.body.dataset.drawn = "yes";
});</script></body></html>`;

describeInBrowser("pages with charts that a tool answers inline", ({ serve, open, mistakes }: Browsing) => {
  const servers: Server[] = [];
  const asked: string[] = [];
  let cdn = "";
  let service = "";
  const listen = async (answer: (address: string) => [headers: Record<string, string>, body: string | Buffer]) => {
    const server = createServer((request, response) => {
      asked.push(request.url!);
      const [headers, body] = answer(request.url!);
      response.writeHead(200, headers).end(body);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  beforeEach(async () => {
    asked.length = 0;
    cdn = await listen((address) => [{ "content-type": "text/javascript" }, LIBRARIES[address] ?? ""]);
    service = await listen((address) =>
      address.startsWith("/traffic/page")
        ? [{ "content-type": "text/html; charset=utf-8", "content-disposition": "inline" }, chartPage(cdn)]
        : [
            { "content-type": "application/json", "access-control-allow-origin": "*" },
            JSON.stringify({ days: { Mon: 4, Tue: 6 }, hours: { Mon: [1, 2, 1], Tue: [1, 4, 1] } }),
          ],
    );
  });
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  const show = async (tool: Tool<any>, input: object): Promise<Page> => {
    const { model } = playing(script("show it", [{ call: tool.name, input }], [{ say: "There it is." }]));
    const page = await open(await serve(agent({ name: "demo", model, tools: [tool] })));
    await send(page, "show it");
    await ended(page, "done");
    return page;
  };
  /** A gate that has just moved, for example by scrolling, ignores clicks. Retry, as users do. */
  const decide = (gate: Locator, choice: string): Promise<void> =>
    expect
      .poll(async () => {
        await gate
          .getByRole("button", { name: choice })
          .click({ timeout: 5000 })
          .catch(() => {});
        return await gate.count();
      }, PATIENCE)
      .toBe(0);
  /** The document of the frame with this title, once it exists. */
  const frameOf = async (page: Page, title: string): Promise<Frame> =>
    (await (await page.waitForSelector(`iframe[title="${title}"]`)).contentFrame())!;

  test("Plotly: blocked at first, found and offered, drawn and clickable after consent", async () => {
    const tool = defineTool({
      name: "sales_chart",
      description: "Draws sales.",
      input: z.object({}),
      run: () =>
        new Response(plotlyPage(cdn), {
          headers: { "content-type": "text/html", "content-disposition": "inline; filename=sales.html" },
        }),
    });
    const page = await show(tool, {});
    const gate = page.getByRole("region", { name: "Allow Sales" });
    await gate.waitFor();
    expect(await gate.innerText()).toContain(cdn);
    const before = await frameOf(page, "Sales");
    await before.getByText("nothing clicked").waitFor();
    expect(await before.locator(".main-svg").count()).toBe(0);
    expect(asked).toEqual([]);
    await decide(gate, "Allow once");
    await page.frameLocator('iframe[title="Sales"]').locator("#b .bars .point path").nth(1).waitFor();
    expect(await gate.count()).toBe(0);
    expect(asked).toEqual(["/plotly.min.js"]);
    const frame = await frameOf(page, "Sales");
    const click = async (chart: string, index: number): Promise<void> => {
      const bar = frame.locator(`#${chart} .bars .point path`).nth(index);
      const label = frame.locator(`#${chart} .hoverlayer .hovertext`);
      // Chromium discards input to a frame that has just moved, so keep moving until Plotly shows the bar's label.
      const point = async (): Promise<number> => {
        await page.mouse.move(0, 0);
        // A Plotly overlay covers the bars.
        await bar.hover({ force: true });
        return await label.count();
      };
      await expect.poll(point, PATIENCE).toBeGreaterThan(0);
      await bar.click({ force: true });
    };
    await click("a", 1);
    await frame.getByText("a: Q2 is 5").waitFor();
    await click("b", 0);
    await frame.getByText("b: Bern is 20").waitFor();
    // "Allow once" does not survive a reload.
    await page.reload();
    await page.getByRole("region", { name: "Allow Sales" }).waitFor();
    expect(mistakes().filter((text) => !/Content Security Policy|Plotly is not defined/.test(text))).toEqual([]);
  });

  test("Chart.js: its own service and the library are offered together, and stay allowed for the agent", async () => {
    const tool = http({ allowPrivate: [new URL(service).host] });
    const page = await show(tool, { url: `${service}/traffic/page?key=secret` });
    asked.length = 0;
    const gate = page.getByRole("region", { name: "Allow Traffic" });
    await gate.getByText(service).waitFor();
    await gate.getByText(cdn).waitFor();
    expect(asked).toEqual([]);
    await decide(gate, "Always allow for demo");
    const drawn = async (): Promise<Frame> => {
      await page.frameLocator('iframe[title="Traffic"]').locator("body[data-drawn]").waitFor();
      return await frameOf(page, "Traffic");
    };
    let frame = await drawn();
    expect(asked.toSorted()).toEqual(["/chart.umd.min.js", "/traffic/data.json"]);
    /** The position of a bar changes with the size of the frame, which follows its content. */
    const clickUntil = (index: number, shown: string) =>
      expect
        .poll(async () => {
          const position = await frame.evaluate((at) => {
            const { Chart } = window as unknown as { Chart: { getChart(id: string): any } };
            const { x, y } = Chart.getChart("days").getDatasetMeta(0).data[at];
            return { x, y: y + 5 };
          }, index);
          await frame.locator("#days").click({ position });
          return await frame.locator("output").textContent();
        }, PATIENCE)
        .toBe(shown);
    await clickUntil(1, "Tue: 1 4 1");
    expect(mistakes().filter((text) => !/Content Security Policy|Failed to fetch/.test(text))).toEqual([]);
    await page.reload();
    frame = await drawn();
    await clickUntil(0, "Mon: 1 2 1");
    expect(await page.getByRole("region", { name: "Allow Traffic" }).count()).toBe(0);
  });
});
