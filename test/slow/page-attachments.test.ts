import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Event, Part } from "../../src/events.ts";
import { Refusal, type RunRequest, type Source } from "../../src/source.ts";
import { composer, describeInBrowser, ended, send, violations } from "../browsing.ts";
import { PICTURE } from "../recordings/providers.ts";

const PNG = Buffer.from(PICTURE, "base64");
const PDF = Buffer.from("%PDF-1.4\n%%EOF\n");
const image = (name: string, bytes = PNG) => ({ name, mimeType: "image/png", buffer: bytes });

/** Records its requests and answers with a short text. */
const listening = (requests: RunRequest[]): Source =>
  async function* (request): AsyncIterable<Event> {
    requests.push(request);
    yield { type: "step-start", step: "s" };
    yield { type: "text-start", part: "p" };
    yield { type: "text-delta", part: "p", delta: `Answer ${requests.length}` };
    yield { type: "text-end", part: "p" };
    yield { type: "step-end", step: "s", finish: "stop" };
  };

/** Creates an image. */
const drawing: Source = async function* (_, { put }): AsyncIterable<Event> {
  const { file, bytes } = await put(PNG, { mediaType: "image/png", name: "chart.png" });
  yield { type: "step-start", step: "s" };
  yield { type: "file", name: "chart.png", file, mediaType: "image/png", bytes, change: "created" };
  yield { type: "step-end", step: "s", finish: "stop" };
};

type FilePart = Extract<Part, { type: "file" }>;
const filesOf = ({ messages }: RunRequest): FilePart[] =>
  messages.flatMap(({ content }) => content.filter((part) => part.type === "file"));
const attached = (page: Page) => page.getByRole("list", { name: "Attached files" }).getByRole("listitem");
const sentFiles = (page: Page) => page.getByRole("group", { name: "Files in this message" });

const attach = async (page: Page, ...files: { name: string; mimeType: string; buffer: Buffer }[]): Promise<void> => {
  const before = await attached(page).count();
  const choosing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Attach files" }).click();
  await (await choosing).setFiles(files);
  await expect.poll(() => attached(page).count()).toBe(before + files.length);
};

/** Simulates a drop or a paste of files. */
const transfer = async (
  page: Page,
  kind: "paste" | "drop",
  name: string,
  type: string,
  data: string,
): Promise<void> => {
  await page.evaluate(
    ([event, fileName, mediaType, base64]) => {
      const bytes = Uint8Array.from(atob(base64!), (character) => character.charCodeAt(0));
      const files = new DataTransfer();
      files.items.add(new File([bytes], fileName!, { type: mediaType! }));
      const more = { bubbles: true, cancelable: true };
      if (event === "paste") {
        const target = document.querySelector("textarea")!;
        return void target.dispatchEvent(new ClipboardEvent("paste", { clipboardData: files, ...more }));
      }
      const target = document.querySelector("main")!;
      target.dispatchEvent(new DragEvent("dragover", { dataTransfer: files, ...more }));
      target.dispatchEvent(new DragEvent("drop", { dataTransfer: files, ...more }));
    },
    [kind, name, type, data] as const,
  );
};

/** As `listening`, but each answer waits for `go`. */
const waiting = (requests: RunRequest[]): { readonly source: Source; go(): void } => {
  const runs: (() => void)[] = [];
  let early = 0;
  const source: Source = async function* (request, context) {
    yield { type: "status", text: "Waiting" };
    if (early > 0) early--;
    else await new Promise<void>((resolve) => runs.push(resolve));
    yield* listening(requests)(request, context);
  };
  return {
    source,
    // A run that starts later takes a `go` that no run was waiting for.
    go: () => {
      const run = runs.shift();
      if (run) run();
      else early++;
    },
  };
};
/** How many files of queued messages a reload keeps. */
const storedFiles = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const opening = indexedDB.open("runcast-queued-files", 1);
        // The page may not have created it yet.
        opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore("files"));
        opening.addEventListener("success", () => {
          const counting = opening.result.transaction("files").objectStore("files").count();
          counting.addEventListener("success", () => {
            opening.result.close();
            resolve(counting.result);
          });
        });
      }),
  );
const queued = (page: Page) => page.getByRole("region", { name: "Queued messages" });

describeInBrowser("attachments", ({ serve, open }) => {
  test("by button, paste and drop: shown, removed, sent, and available to the next message, a retry and an edit", async () => {
    const requests: RunRequest[] = [];
    const page = await open(await serve(listening(requests)));
    await attach(page, image("one.png"), { name: "paper.pdf", mimeType: "application/pdf", buffer: PDF });
    await transfer(page, "paste", "pasted.png", "image/png", PICTURE);
    await transfer(page, "drop", "notes.ts", "video/mp2t", Buffer.from("let a = 1;").toString("base64"));
    await expect.poll(() => attached(page).count()).toBe(4);
    await page.getByRole("button", { name: "Remove pasted.png" }).click();
    await expect.poll(() => attached(page).count()).toBe(3);
    await send(page, "What is this?");
    await ended(page, "done");
    expect(await attached(page).count()).toBe(0);
    const [first] = requests;
    expect(filesOf(first!).map(({ name, mediaType, data }) => [name, mediaType, data])).toEqual([
      ["one.png", "image/png", PICTURE],
      ["paper.pdf", "application/pdf", PDF.toString("base64")],
      ["notes.ts", "text/plain", Buffer.from("let a = 1;").toString("base64")],
    ]);
    await sentFiles(page).getByRole("button", { name: "Enlarge one.png" }).waitFor();
    expect(await sentFiles(page).innerText()).toContain("paper.pdf");

    await send(page, "And now?");
    await expect.poll(() => requests.length).toBe(2);
    expect(filesOf(requests[1]!).map(({ data }) => data)).toEqual(filesOf(first!).map(({ data }) => data));
    await page.reload();
    await sentFiles(page).getByRole("button", { name: "Enlarge one.png" }).waitFor();
    await page
      .getByRole("button", { name: "Try again" })
      .first()
      .or(page.getByRole("button", { name: /again/i }).first())
      .click();
    await expect.poll(() => requests.length).toBe(3);
    expect(filesOf(requests[2]!)[0]?.data).toBe(PICTURE);
    await page.getByRole("button", { name: /^Edit/ }).first().click();
    await page.getByRole("textbox", { name: "Edit the message" }).fill("Look again");
    await page.getByRole("textbox", { name: "Edit the message" }).press("Enter");
    await expect.poll(() => requests.length).toBe(4);
    expect(filesOf(requests[3]!)[0]?.data).toBe(PICTURE);
    expect(requests[3]!.messages.at(-1)?.content.at(-1)).toEqual({ type: "text", text: "Look again" });
  });

  test("a file that the model refuses can be removed by editing the message", async () => {
    const requests: RunRequest[] = [];
    const answer = listening(requests);
    const source: Source = async function* (request, context) {
      if (filesOf(request).some(({ mediaType }) => mediaType === "application/pdf"))
        throw new Refusal("unsupported-file", "The model cannot read paper.pdf.", { status: 415 });
      yield* answer(request, context);
    };
    const page = await open(await serve(source));
    await attach(page, image("one.png"), { name: "paper.pdf", mimeType: "application/pdf", buffer: PDF });
    await send(page, "What is this?");
    await page.getByText("You can edit your message").waitFor();
    await page.getByRole("button", { name: /^Edit/ }).first().click();
    expect(await attached(page).count()).toBe(2);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove paper.pdf" }).press("Enter");
    await expect.poll(() => attached(page).count()).toBe(1);
    const field = page.getByRole("textbox", { name: "Edit the message" });
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    await ended(page, "done");
    expect(requests.map((request) => filesOf(request).map(({ name, data }) => [name, data]))).toEqual([
      [["one.png", PICTURE]],
    ]);
    expect(await sentFiles(page).innerText()).not.toContain("paper.pdf");
  });

  test("files that cannot be sent are refused with a reason, and those that did not arrive are put back", async () => {
    const page = await open(await serve());
    // From here on, the page knows which files the model reads.
    await page.getByRole("button", { name: "Show sub-agents, nested three deep" }).waitFor();
    await page.evaluate(() => {
      const files = new DataTransfer();
      files.items.add(new File([new Uint8Array(20 * 1024 * 1024)], "film.png", { type: "image/png" }));
      files.items.add(new File(["PK"], "all.zip", { type: "application/zip" }));
      files.items.add(new File(["\x89PNG"], "a.png", { type: "image/png" }));
      const drop = new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true });
      document.querySelector("main")!.dispatchEvent(drop);
    });
    const alert = page.getByRole("alert");
    await expect.poll(() => alert.innerText()).toContain("film.png is 20.0 MB. The limit is 10.0 MB per file.");
    expect(await alert.innerText()).toContain(
      "This model cannot read all.zip. It accepts text files, images and PDFs.",
    );
    expect(await attached(page).count()).toBe(1);
    await page.route("**/files?*", (route) =>
      route.fulfill({ status: 413, json: { error: { code: "x", message: "No room." } } }),
    );
    await send(page, "look");
    await page.getByText("No room.").waitFor();
    expect(await attached(page).count()).toBe(1);
    expect(await composer(page).inputValue()).toBe("look");
    await page.unroute("**/files?*");
    await composer(page).press("Enter");
    await ended(page, "done");
    expect(await page.locator("[data-run]").getByText("I can't read this file").count()).toBe(1);
  });

  test("50 images", async () => {
    const requests: RunRequest[] = [];
    const page = await open(await serve(listening(requests)));
    await attach(page, ...Array.from({ length: 50 }, (_, index) => image(`${index}.png`)));
    await expect.poll(() => attached(page).count()).toBe(50);
    await send(page, "All of them");
    await ended(page, "done");
    expect(filesOf(requests[0]!)).toHaveLength(50);
    await expect
      .poll(() =>
        sentFiles(page)
          .getByRole("button", { name: /^Enlarge / })
          .count(),
      )
      .toBe(50);
  });

  test.each([
    ["at a desk", {}],
    ["in dark mode", { colorScheme: "dark" }],
    ["on a phone", { viewport: { width: 390, height: 844 } }],
  ] as const)("by keyboard alone, %s; nothing for axe to find", async (_, options) => {
    const page = await open(await serve(), options);
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Attach files" }).press("Enter");
    await (await choosing).setFiles([image("one.png"), image("two.png"), image("three.zip")]);
    await page.getByRole("button", { name: "Remove two.png" }).press("Enter");
    await expect.poll(() => attached(page).count()).toBe(2);
    expect(await composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await ended(page, "done");
    const shown = page.getByRole("button", { name: "Enlarge one.png" });
    await shown.press("Enter");
    const large = page.getByRole("dialog", { name: "one.png" });
    await large.waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await large.waitFor({ state: "detached" });
    expect(await shown.evaluate((button) => button === document.activeElement)).toBe(true);
    expect(await violations(page)).toEqual([]);
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    expect(widths[0]).toBeLessThanOrEqual(widths[1]!);
  });

  test("an image of a run can be enlarged; a link to the run shows its files", async () => {
    const page = await open(await serve(drawing));
    await attach(page, image("one.png"));
    await send(page, "Draw");
    await ended(page, "done");
    await page.getByRole("button", { name: "Enlarge chart.png" }).click();
    await page.getByRole("dialog", { name: "chart.png" }).getByRole("button", { name: "Close" }).click();
    const run = await page.evaluate(async () => (await (await fetch("runs")).json()).runs[0].run as string);
    await page.goto(new URL(`?run=${run}`, page.url()).href);
    await sentFiles(page).getByRole("button", { name: "Enlarge one.png" }).waitFor();
  });

  test("a queued message keeps its files, even after a reload, and can be edited with them", async () => {
    const requests: RunRequest[] = [];
    const { source, go } = waiting(requests);
    const page = await open(await serve(source));
    await send(page, "Begin");
    await page.getByRole("button", { name: "Stop the run" }).waitFor();
    await attach(page, image("one.png"));
    await send(page, "With a picture");
    await attached(page).waitFor({ state: "detached" });
    await attach(page, { name: "paper.pdf", mimeType: "application/pdf", buffer: PDF });
    await composer(page).press("Enter");
    await expect
      .poll(() => queued(page).getByRole("listitem").allInnerTexts())
      .toEqual([expect.stringMatching(/With a picture\s+1 file/), expect.stringMatching(/paper\.pdf\s+1 file/)]);
    expect(await attached(page).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await queued(page).getByRole("button", { name: "Edit queued message 2" }).click();
    await expect.poll(() => attached(page).allInnerTexts()).toEqual([expect.stringContaining("paper.pdf")]);
    await send(page, "Read this");
    await expect.poll(() => storedFiles(page)).toBe(2);
    await page.reload();
    await expect.poll(() => queued(page).getByRole("listitem").count()).toBe(2);
    go();
    await expect.poll(() => requests.length).toBe(1);
    await expect.poll(() => queued(page).getByRole("listitem").count()).toBe(1);
    go();
    await expect.poll(() => requests.length).toBe(2);
    await expect.poll(() => queued(page).count()).toBe(0);
    go();
    await expect.poll(() => requests.length).toBe(3);
    const names = (request: RunRequest) =>
      filesOf({ ...request, messages: request.messages.slice(-1) }).map(({ name, data }) => [name, data]);
    expect(requests.map(names)).toEqual([[], [["one.png", PICTURE]], [["paper.pdf", PDF.toString("base64")]]]);
    await ended(page, "done");
  });

  test("a queued message whose files are lost goes back to the composer, with an explanation", async () => {
    const { source, go } = waiting([]);
    const page = await open(await serve(source));
    await send(page, "Begin");
    await page.getByRole("button", { name: "Stop the run" }).waitFor();
    await attach(page, image("one.png"));
    await send(page, "With a picture");
    await queued(page).waitFor();
    await expect.poll(() => storedFiles(page)).toBe(1);
    await page.evaluate(
      () => new Promise((resolve) => (indexedDB.deleteDatabase("runcast-queued-files").onsuccess = resolve)),
    );
    await page.reload();
    await queued(page).waitFor();
    go();
    await page.getByText("attach them again", { exact: false }).waitFor();
    expect(await composer(page).inputValue()).toBe("With a picture");
    expect(await violations(page)).toEqual([]);
  });

  test("a fork keeps the files of its first message, even after a reload", async () => {
    const requests: RunRequest[] = [];
    const page = await open(await serve(listening(requests)));
    await attach(page, image("one.png"), { name: "paper.pdf", mimeType: "application/pdf", buffer: PDF });
    await send(page, "What is this?");
    await ended(page, "done");
    await page.getByRole("button", { name: /^Fork/ }).first().click();
    await expect.poll(() => attached(page).count()).toBe(2);
    await attached(page).locator("img").first().waitFor();
    await page.reload();
    await expect.poll(() => attached(page).count()).toBe(2);
    expect(await composer(page).inputValue()).toBe("What is this?");
    await page.getByRole("button", { name: "Remove paper.pdf" }).click();
    await attach(page, image("two.png"));
    await composer(page).press("Enter");
    await expect.poll(() => requests.length).toBe(2);
    expect(filesOf(requests[1]!).map(({ name, data }) => [name, data])).toEqual([
      ["two.png", PICTURE],
      ["one.png", PICTURE],
    ]);
    await expect.poll(() => attached(page).count()).toBe(0);
    await page.reload();
    await ended(page, "done");
    expect(await attached(page).count()).toBe(0);
  });
});
