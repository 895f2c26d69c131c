import { expect, test } from "vitest";
import { STYLES } from "../../../../src/dialects/open-webui/styles.ts";
import type { StoredMessage } from "../account.ts";
import type { ChatPage } from "../chat-page.ts";
import { describeLive } from "../installed.ts";
import { useLive } from "../live.ts";
import { picture } from "../picture.ts";

/** What a style shows, and what Open WebUI stores of it. No two styles have the same. */
interface Look {
  readonly running: Shown;
  readonly whole: Shown;
  readonly stored: Stored;
}
interface Shown {
  readonly lines: readonly string[];
  /** Frames within the message. */
  readonly frames: number;
}
interface Stored {
  /** Items of Open WebUI's own cards. */
  readonly calls: number;
  /** `<details>` blocks in the text. */
  readonly blocks: number;
  readonly sources: number;
  readonly embeds: number;
}

const [FIRST, SECOND, ANSWER] = ["First the owls.", "Then the bats.", "Owls and bats fly at night."] as const;
const [SPINS, DONE] = ["Executing look_up...", "View Result from look_up"];
const text = (...lines: string[]): Shown => ({ lines, frames: 0 });
const nothing: Stored = { calls: 0, blocks: 0, sources: 0, embeds: 0 };

const LOOKS: Readonly<Record<string, Look>> = {
  cards: {
    running: text(FIRST, SPINS),
    whole: text(FIRST, DONE, SECOND, DONE, ANSWER),
    stored: { ...nothing, calls: 2 },
  },
  citations: {
    running: text(FIRST),
    whole: text(FIRST, SECOND, ANSWER, "2 Sources"),
    stored: { ...nothing, sources: 2 },
  },
  collapse: {
    running: text(`🤖 AI: ${FIRST}`),
    whole: text("🔍 Execution Steps (2 tools)", ANSWER),
    stored: { ...nothing, blocks: 1 },
  },
  details: {
    running: text(FIRST, SPINS),
    whole: text(FIRST, DONE, SECOND, DONE, ANSWER),
    stored: { ...nothing, blocks: 2 },
  },
  live: {
    running: { ...text(FIRST), frames: 1 },
    whole: { ...text(FIRST, SECOND, ANSWER), frames: 1 },
    stored: { ...nothing, embeds: 1 },
  },
};

const shownBy = async ({ answer, lines }: ChatPage): Promise<Shown> => ({
  lines: await lines(),
  frames: await answer.locator("iframe").count(),
});

const storedBy = ({ output = [], ...message }: StoredMessage): Stored => ({
  calls: output.filter(({ type }) => type === "function_call").length,
  blocks: JSON.stringify(output).split("<details").length - 1,
  sources: ((message["sources"] ?? []) as unknown[]).length,
  embeds: ((message["embeds"] ?? []) as unknown[]).length,
});

describeLive("each style", ({ program }) => {
  const live = useLive(program);

  test("has its own look", () => {
    expect(Object.keys(LOOKS).toSorted()).toEqual([...STYLES].toSorted());
    expect(new Set(Object.values(LOOKS).map((look) => JSON.stringify(look))).size).toBe(STYLES.length);
  });

  test.each(STYLES)("%s: while a tool runs, at the end, and after a reload", async (style) => {
    const { running, whole, stored } = LOOKS[style]!;
    const chat = await live.open({ model: `storyteller:${style}` });
    await chat.send("Birds and bats");
    await live.gates.reached("owls");
    await expect.poll(() => chat.status.innerText()).toBe("Looking up owls");
    await expect.poll(() => shownBy(chat)).toEqual(running);
    if (style === "live") await chat.answer.frameLocator("iframe").getByText("look_up").first().waitFor();
    await picture(chat, `style-${style}-running`);
    live.gates.open("owls");
    await live.gates.reached("bats");
    live.gates.open("bats");
    await chat.answer.getByText(ANSWER).first().waitFor();
    await chat.finished();
    await expect.poll(() => shownBy(chat)).toEqual(whole);
    await picture(chat, `style-${style}`);
    const [answer] = (await live.account.messages(await chat.chat())).filter(({ role }) => role === "assistant");
    expect(storedBy(answer!)).toEqual(stored);
    await chat.reload();
    await chat.answer.getByText(ANSWER).first().waitFor();
    await expect.poll(() => shownBy(chat)).toEqual(whole);
    await picture(chat, `style-${style}-reloaded`);
  });

  test("collapse: the steps open and close as one block", async () => {
    const chat = await live.open({ model: "storyteller:collapse" });
    live.gates.open("owls");
    live.gates.open("bats");
    await chat.send("Birds and bats");
    await chat.answer.getByText(ANSWER).first().waitFor();
    await chat.finished();
    await chat.answer.getByText("🔍 Execution Steps (2 tools)").click();
    await chat.answer.getByText("All about bats.").waitFor();
    await picture(chat, "style-collapse-open");
    await chat.answer.getByText("🔍 Execution Steps (2 tools)").click();
    await chat.answer.getByText("All about bats.").waitFor({ state: "hidden" });
  });

  test("an approval without the pipe is answered on the page that it links to", async () => {
    const chat = await live.open({ model: "storyteller" });
    await chat.send("Approving");
    const link = chat.answer.locator('a[href*="?run="]').first();
    await link.waitFor();
    await picture(chat, "approval-link");
    const page = await chat.page.context().newPage();
    await page.goto((await link.getAttribute("href")) ?? "");
    await page
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await chat.answer.getByText("The letter to Ines is on its way.").first().waitFor();
  });
});
