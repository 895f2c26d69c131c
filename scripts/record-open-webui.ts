// Replays every story of test/open-webui/recordings to a running Open WebUI and records what it now shows, sends, and
// stores:
//   node scripts/node.mjs scripts/record-open-webui.ts <its program> [<story>…]
// A version without recordings gets the stories of the newest version that has some. A new story is a line with `story`
// and `frames`: the lines of a stream, and between them `{"SEE": <moment>}`, where to capture the page, and
// `{"STOP": true}`, where to press Stop.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { FORWARDED, signIn } from "../test/open-webui/live/account.ts";
import { openChat, type ChatPage } from "../test/open-webui/live/chat-page.ts";
import { serveFrames } from "../test/open-webui/live/frames-server.ts";
import { startOpenWebUi } from "../test/open-webui/live/open-webui.ts";
import { recordSocket } from "../test/open-webui/live/socket-recorder.ts";

interface Story {
  readonly story: string;
  readonly frames: readonly (object | { readonly SEE: string } | { readonly STOP: true })[];
}

const [program, ...wanted] = process.argv.slice(2);
if (program === undefined) throw new Error("pass the path of Open WebUI's program");
const folder = path.join(import.meta.dirname, "../test/open-webui/recordings");
const STORED = ["content", "output", "statusHistory", "sources", "files", "embeds", "error", "usage", "done"];
/** Events that are sent regardless of the stream. */
const OWN = new Set(["chat:list", "chat:active"]);

const openWebUi = await startOpenWebUi(program);
const file = path.join(folder, `${openWebUi.version}.jsonl`);
const from = existsSync(file) ? file : path.join(folder, readdirSync(folder).toSorted().at(-1)!);
const stories = readFileSync(from, "utf8").trimEnd().split("\n");

let story: Story["frames"] = [];
let asked = 0;
let isKnown: () => Promise<unknown> = async () => {};
let look: (moment: string) => Promise<void> = async () => {};
let stop: () => Promise<void> = async () => {};
const server = await serveFrames("agent", async function* () {
  if (++asked > 1) return yield { choices: [{ index: 0, delta: { content: ` [called again ${asked}]` } }] };
  await isKnown();
  for (const frame of story) {
    if ("SEE" in frame) await look(frame.SEE as string);
    else if ("STOP" in frame) await stop();
    else yield frame;
  }
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});

try {
  const account = await signIn(openWebUi.url);
  const socket = await recordSocket(openWebUi.url, account.token);
  await account.connect({ url: server.url, headers: FORWARDED });
  await account.setModel("agent", { mode: "native" });
  for (const [index, line] of stories.entries()) {
    const { story: name, frames } = JSON.parse(line) as Story;
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    [story, asked] = [frames, 0];
    const heard = socket.messages.length;
    const isNew = (message: (typeof socket.messages)[number]) => socket.messages.indexOf(message) >= heard;
    const shown: Record<string, string> = {};
    const images: Record<string, readonly string[]> = {};
    const chat = await openChat(browser, openWebUi, account, { model: "agent", size: { width: 900, height: 600 } });
    stop = async () => {
      await chat.stop();
      // The stream must not end before Open WebUI has reacted.
      await socket.until((message) => isNew(message) && message.data.type === "chat:tasks:cancel");
    };
    look = async (moment) => {
      shown[moment] = await settledText(chat);
      const sources = await imagesIn(chat);
      if (sources.length > 0) images[moment] = sources;
    };
    // The page of a new chat misses events that arrive before it knows the chat.
    const accepted = chat.page.waitForResponse((response) => response.url().endsWith("/api/chat/completions"));
    isKnown = async () => {
      await Promise.all([accepted, chat.chat()]);
      await settledText(chat);
    };
    await chat.send(`Story ${name}`);
    const isOver = ({ data: { type, data } }: (typeof socket.messages)[number]) =>
      type === "chat:active" && (data as { active?: boolean }).active === false;
    await socket.until((message) => isNew(message) && isOver(message));
    await look("end");
    const id = await chat.chat();
    await chat.page.reload();
    await chat.page.locator(".chat-assistant").first().waitFor({ state: "attached" });
    await look("reloaded");
    const answer = (await account.messages(id)).find(({ role }) => role === "assistant")!;
    const received = socket.messages.slice(heard).filter((message) => message.message_id === answer.id);
    const ours = received
      .filter((message) => !OWN.has(message.data.type) && !("shared" in message))
      .map(({ data }) => data);
    const start = ours[0]?.type === "chat:title" ? 1 : 0;
    const end = ours.findIndex(
      ({ type, data }) =>
        type === "chat:tasks:cancel" || (type === "chat:completion" && (data as { done?: boolean }).done),
    );
    const emitted = ours.slice(start, end < 0 ? undefined : end + 1);
    const stored = Object.fromEntries(STORED.filter((key) => key in answer).map((key) => [key, answer[key]]));
    stories[index] = JSON.stringify({ story: name, frames, emitted, shown, images, stored, asked });
    console.log(`${name}: ${emitted.length} events, asked ${asked} times`);
    await chat.close();
  }
  socket.close();
  writeFileSync(file, `${stories.join("\n")}\n`);
} finally {
  await browser.close();
  await server.close();
  await openWebUi.stop();
}

/** The images in the answer that have loaded. */
function imagesIn({ answer }: ChatPage): Promise<string[]> {
  return answer
    .locator(".chat-assistant img")
    .evaluateAll((found) =>
      (found as HTMLImageElement[]).filter(({ naturalWidth }) => naturalWidth > 0).map(({ src }) => src),
    );
}

/** The answer's text once it has stopped changing. */
async function settledText({ answer }: ChatPage): Promise<string> {
  const read = async () => ((await answer.count()) > 0 ? answer.innerText() : "");
  let last = await read();
  for (let still = 0; still < 3;) {
    await sleep(200);
    const now = await read();
    still = now === last ? still + 1 : 0;
    last = now;
  }
  return last;
}
