import { test } from "vitest";
import { describeLive } from "../installed.ts";
import { saying } from "../hostile-agent.ts";
import { useLive } from "../live.ts";
import { writeFileSync } from "node:fs";
describeLive("x", ({ program }) => {
  const live = useLive(program, { trips: saying([`He said "no" and 'yes'`, "one\ntwo\n\nthree\n", "</details>\n<details>", "x".repeat(1024*1024)]) });
  test("y", async () => {
    const chat = await live.open({ model: "trips:details", isExpanded: true });
    await chat.send("Go");
    await chat.answer.getByText("That was it.").first().waitFor();
    await chat.finished();
    writeFileSync(`/tmp/rigs/trip-${process.env.RUNCAST_OPEN_WEBUI}.html`, await chat.answer.evaluate((e) => e.outerHTML));
    console.log(await chat.lines());
    const id = await chat.chat();
    console.log(JSON.stringify((await live.account.messages(id)).at(-1)?.output).slice(0, 3000));
    await chat.page.screenshot({ path: `/tmp/rigs/trip-${process.env.RUNCAST_OPEN_WEBUI}.png` });
  });
});
