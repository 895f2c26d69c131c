import type { Browser, Locator, Page } from "playwright-core";
import type { OpenWebUi } from "./open-webui.ts";
import type { Account } from "./account.ts";

export interface ChatPage {
  readonly page: Page;
  /** Errors that the page did not catch. */
  readonly mistakes: string[];
  /** Every address that the page asked for. */
  readonly requested: string[];
  /** The last answer of the chat. */
  readonly answer: Locator;
  send(text: string): Promise<void>;
  /** The id of the chat, once the page's address has it. */
  chat(): Promise<string>;
  /** Settles when Open WebUI shows that nothing more comes. */
  finished(): Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface ChatPageOptions {
  readonly model?: string;
  /** Opens this chat instead of a new one. */
  readonly chat?: string;
  readonly size?: { readonly width: number; readonly height: number };
  readonly colorScheme?: "light" | "dark";
}

/** A tab of Open WebUI, signed in. */
export const openChat = async (
  browser: Browser,
  { url, version }: OpenWebUi,
  { token, request }: Account,
  { model, chat, size = { width: 1000, height: 900 }, colorScheme = "light" }: ChatPageOptions = {},
): Promise<ChatPage> => {
  // Without the version a dialog about what is new lies over the page.
  await request("POST", "/api/v1/users/user/settings/update", {
    ui: { version, showChangelog: false, showUpdateToast: false, title: { auto: false } },
  });
  const context = await browser.newContext({ viewport: size, colorScheme, deviceScaleFactor: 2, locale: "en-US" });
  await context.addInitScript(
    ([key, scheme]) => {
      localStorage.setItem("token", key ?? "");
      localStorage.setItem("theme", scheme ?? "");
      localStorage.setItem("locale", "en-US");
      localStorage.setItem("sidebar", "false");
    },
    [token, colorScheme],
  );
  const page = await context.newPage();
  const mistakes: string[] = [];
  const requested: string[] = [];
  page.on("pageerror", (error) => mistakes.push(error.message));
  page.on("request", (asked) => requested.push(asked.url()));
  await page.goto(chat ? `${url}/c/${chat}` : `${url}/${model ? `?models=${encodeURIComponent(model)}` : ""}`);
  const input = page.locator("#chat-input");
  await input.waitFor();
  return {
    page,
    mistakes,
    requested,
    answer: page.locator('[id^="message-"]:has(.chat-assistant)').last(),
    async send(text) {
      await input.click();
      await page.keyboard.insertText(text);
      await page.keyboard.press("Enter");
    },
    async chat() {
      await page.waitForURL(/\/c\/[^/]+$/);
      return page.url().replace(/^.*\/c\//, "");
    },
    async finished() {
      await page.locator("#send-message-button, button[aria-label='Voice mode'], #audio-input").first().waitFor();
    },
    async stop() {
      await page.locator("button[aria-label='Stop']").click();
    },
    close: () => context.close(),
  };
};
