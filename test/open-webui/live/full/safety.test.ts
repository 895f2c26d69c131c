import { expect, test } from "vitest";
import { STYLES } from "../../../../src/dialects/open-webui/styles.ts";
import { HOSTILE, HOSTILE_LONG, PWNED } from "../../hostile.ts";
import { describeLive } from "../installed.ts";
import { saying } from "../hostile-agent.ts";
import { useLive } from "../live.ts";
import { recordSocket } from "../socket-recorder.ts";

const ROUND_TRIP = [
  `He said "no" and 'yes'`,
  "one\ntwo\n\nthree\n",
  "</details>\n<details>",
  "a > b < c",
  "&lt;b&gt; &amp;amp; &quot;",
  "<summary>x</summary>",
  "\\n \\\\ \\u003c",
  "🌙 🦉 👩‍🚀 é",
  "`code` ``` ~~~ **bold** $x$",
  "tab\tand  spaces",
];

describeLive("what a tool says", ({ program }) => {
  const live = useLive(program, {
    hostile: saying(HOSTILE.map(({ text }) => text())),
    long: saying(HOSTILE_LONG.map(({ text }) => text())),
    trips: saying([...ROUND_TRIP, "x".repeat(1024 * 1024)]),
  });

  const neverRuns = async (model: string) => {
    const chat = await live.open({ model, isExpanded: true });
    await chat.page.evaluate((name) => {
      for (const dialog of ["alert", "confirm", "prompt"] as const)
        window[dialog] = () => Reflect.set(window, name, dialog) as never;
    }, PWNED);
    await chat.send("Go");
    await chat.answer.getByText("That was it.").first().waitFor();
    await chat.finished();
    // The style live shows a page of Runcast. No other style may load anything from there.
    const own = [live.openWebUi.url, "data:", "blob:", ...(model.endsWith(":live") ? [`${live.runcast}/`] : [])];
    expect(chat.requested.filter((url) => !own.some((start) => url.startsWith(start)))).toEqual([]);
    expect(await chat.page.evaluate((name) => Reflect.get(window, name), PWNED)).toBeUndefined();
    expect(await chat.page.locator("#pwned").count()).toBe(0);
    const [stored] = (await live.account.messages(await chat.chat())).filter(({ role }) => role === "assistant");
    const calls = stored?.output?.filter(({ type }) => type === "function_call") ?? [];
    expect(calls.filter(({ name }) => name === "pwned")).toEqual([]);
    expect(live.started).toHaveLength(1);
    return chat;
  };

  test.each(STYLES)("is only shown, in the style %s", async (style) => {
    const chat = await neverRuns(`hostile:${style}`);
    await chat.reload();
    await chat.answer.getByText("That was it.").first().waitFor();
    expect(await chat.page.evaluate((name) => Reflect.get(window, name), PWNED)).toBeUndefined();
    expect(await chat.page.locator("#pwned").count()).toBe(0);
  });

  test("is only shown, even if it has 10 MB", async () => {
    await neverRuns("long:cards");
  });

  test("survives <details> unchanged", async () => {
    const chat = await live.open({ model: "trips:details", isExpanded: true });
    await chat.send("Go");
    await chat.answer.getByText("That was it.").first().waitFor();
    await chat.finished();
    for (const [index, text] of ROUND_TRIP.entries()) {
      const card = chat.card(`say_${index}`).last();
      const wanted = index % 5 === 4 ? `Error: ${text}` : text;
      await expect.poll(() => card.locator("pre").last().textContent(), { message: text }).toBe(wanted);
    }
    const long = chat.card(`say_${ROUND_TRIP.length}`).last();
    expect(await long.innerText()).toContain("x".repeat(400));
  });

  test("costs little: 50 KB of a result and 500 tokens at 50 a second", async () => {
    const socket = await recordSocket(live.openWebUi.url, live.account.token);
    try {
      const chat = await live.open({ model: "steady" });
      const before = socket.bytes();
      await chat.send("Large");
      await chat.answer.getByText("word499").waitFor();
      await chat.finished();
      const bytes = socket.bytes() - before;
      console.log(`Open WebUI ${live.openWebUi.version} sent ${Math.round(bytes / 1000)} KB over its socket`);
      expect(bytes).toBeLessThan(live.openWebUi.version.startsWith("0.10.") ? 1_500_000 : 200_000);
    } finally {
      socket.close();
    }
  });
});
