import { expect, test } from "vitest";
import { type Browsing, composer, describeInBrowser, ended, send, violations } from "../browsing.ts";
import { startIssuer } from "../token-issuer.ts";

const ALICE = "the-key-of-alice";
const BOB = "the-key-of-bob";
const keys = [
  { name: "alice", key: ALICE },
  { name: "bob", key: BOB },
];
const runsOf = async (url: string, key: string) => {
  const response = await fetch(`${url}/runs`, { headers: { authorization: `Bearer ${key}` } });
  return ((await response.json()) as { runs: { run: string }[] }).runs.map(({ run }) => run);
};

describeInBrowser("deleting on the page", ({ serve, open }: Browsing) => {
  const signedIn = async (url: string, key: string, path = "") => {
    const page = await open(url + path);
    await page.getByLabel("Key or token").fill(key);
    await page.keyboard.press("Enter");
    return page;
  };

  test("a run is deleted after a confirmation; an error is shown if it cannot be deleted", async () => {
    const url = await serve(undefined, { keys });
    const page = await signedIn(url, ALICE);
    await send(page, "Just answer: are you real?");
    await ended(page, "done");
    const [run] = await runsOf(url, ALICE);
    const tool = page.getByRole("button", { name: "Delete", exact: true });
    await tool.click();
    const dialog = page.getByRole("dialog", { name: "Delete this run" });
    await dialog.getByText("You cannot undo this.").waitFor();
    await dialog.getByText("This browser keeps its own copy").waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Keep" }).click();
    expect(await runsOf(url, ALICE)).toEqual([run]);
    await tool.click();
    await dialog.getByRole("button", { name: "Delete run" }).click();
    await dialog.getByText("were deleted from the server").waitFor();
    expect(await runsOf(url, ALICE)).toEqual([]);
    await dialog.getByRole("button", { name: "Done" }).click();
    await tool.click();
    await dialog.getByRole("button", { name: "Delete run" }).click();
    expect(await dialog.getByRole("alert").innerText()).toContain(run);
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Keep" }).click();
  });

  test("a conversation is deleted from the server and the browser, and others stay", async () => {
    const url = await serve(undefined, { keys });
    const page = await signedIn(url, ALICE);
    const sent = async (text: string, count: number) => {
      await send(page, text);
      await expect.poll(() => runsOf(url, ALICE)).toHaveLength(count);
      await ended(page, "done");
    };
    await sent("Just answer: are you real?", 1);
    await sent("Just answer: and now?", 2);
    await page.getByRole("button", { name: "New conversation" }).first().click();
    await sent("Just answer: something else", 3);
    await page.getByRole("button", { name: /^More actions for Just answer: are you real/ }).click();
    await page.getByRole("menuitem", { name: "Delete everywhere…" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete everywhere" });
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Delete everywhere" }).click();
    await dialog.getByText("deleted from this browser, and 2 runs from the server").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    expect(await runsOf(url, ALICE)).toHaveLength(1);
    await page.reload();
    const list = page.getByRole("navigation", { name: "Conversations" });
    await list.getByText("something else").waitFor();
    expect(await list.getByText("are you real").count()).toBe(0);
  });

  test("all data of the signed-in user is deleted, and no one else's; a token of an identity provider signs in", async () => {
    const issuer = await startIssuer();
    const url = await serve(undefined, { keys, jwt: issuer.options });
    const bob = await signedIn(url, BOB);
    await send(bob, "Just answer: hello");
    await ended(bob, "done");
    const page = await open(url);
    const field = page.getByLabel("Key or token");
    await field.fill(await issuer.sign({ sub: "ann", exp: 1 }));
    await field.press("Enter");
    await page.getByText("This token is not accepted: it has expired.").waitFor();
    expect(await violations(page)).toEqual([]);
    await field.fill(await issuer.sign({ sub: "ann" }));
    await field.press("Enter");
    await send(page, "Just answer: hello");
    await ended(page, "done");
    // Stored only in the tab.
    expect(await page.evaluate(() => [sessionStorage.length > 0, localStorage.getItem("runcast.key")])).toEqual([
      true,
      null,
    ]);
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    const data = page.getByRole("region", { name: "Your data" });
    await data.getByText("You are signed in as ann.").waitFor();
    await data.getByRole("button", { name: "Delete all my data…" }).click();
    expect(await violations(page)).toEqual([]);
    await data.getByRole("button", { name: "Delete all my data", exact: true }).click();
    await data.getByText("Deleted 1 run from the server and 1 conversation from this browser.").waitFor();
    await page.keyboard.press("Escape");
    await page.reload();
    await page.getByRole("navigation", { name: "Conversations" }).getByText("Your conversations appear here").waitFor();
    expect(await runsOf(url, await issuer.sign({ sub: "ann" }))).toEqual([]);
    expect(await runsOf(url, BOB)).toHaveLength(1);
    await composer(page).waitFor();
  });

  test("if no one is signed in, there is no data to delete", async () => {
    const page = await open(await serve());
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByRole("region", { name: "Notifications" }).waitFor();
    expect(await page.getByRole("region", { name: "Your data" }).count()).toBe(0);
  });
});
