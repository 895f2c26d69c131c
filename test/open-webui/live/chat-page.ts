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
  /** The line of a tool, by its name, spinning or done. */
  card(name: string): Locator;
  /** The answer, line by line, without what stands around it. */
  lines(): Promise<string[]>;
  /** The line above the answer that says what goes on. */
  readonly status: Locator;
  /** Settles when Open WebUI shows that nothing more comes. */
  finished(): Promise<void>;
  stop(): Promise<void>;
  reload(): Promise<void>;
  close(): Promise<void>;
}

export interface ChatPageOptions {
  readonly model?: string;
  /** Opens this chat instead of a new one. */
  readonly chat?: string;
  readonly size?: { readonly width: number; readonly height: number };
  readonly colorScheme?: "light" | "dark";
  /** Opens all that can be opened, as a setting of Open WebUI does. */
  readonly isExpanded?: boolean;
}

/** What does not come in this time does not come. */
const WAIT_MS = 60_000;

/** A tab of Open WebUI, signed in. */
export const openChat = async (
  browser: Browser,
  { url, version }: OpenWebUi,
  { token, request }: Account,
  { model, chat, size = { width: 800, height: 600 }, colorScheme = "light", isExpanded = false }: ChatPageOptions = {},
): Promise<ChatPage> => {
  // Without the version a dialog about what is new lies over the page.
  await request("POST", "/api/v1/users/user/settings/update", {
    ui: { version, showChangelog: false, showUpdateToast: false, title: { auto: false }, expandDetails: isExpanded },
  });
  const context = await browser.newContext({ viewport: size, colorScheme, deviceScaleFactor: 2, locale: "en-US" });
  await context.addInitScript(
    ([key, scheme]) => {
      // An embed's document has no storage.
      if (window !== window.top) return;
      localStorage.setItem("token", key ?? "");
      localStorage.setItem("theme", scheme ?? "");
      localStorage.setItem("locale", "en-US");
      localStorage.setItem("sidebar", "false");
    },
    [token, colorScheme],
  );
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const mistakes: string[] = [];
  const requested: string[] = [];
  page.on("pageerror", (error) => mistakes.push(error.message));
  page.on("request", (asked) => requested.push(asked.url()));
  const input = page.locator("#chat-input");
  // What comes before the page has joined its user's room does not reach it.
  const load = async (go: () => Promise<unknown>) => {
    const joined = joins(page);
    await go();
    await input.waitFor();
    await joined;
  };
  const start = chat ? `${url}/c/${chat}` : `${url}/${model ? `?models=${encodeURIComponent(model)}` : ""}`;
  await load(() => page.goto(start));
  const answer = page.locator('[id^="message-"]:has(.chat-assistant)').last();
  // In older versions the button has no name, only its drawing.
  const stop = page.locator('form button:has(path[d*="-2.438c0-.724"])');
  return {
    page,
    mistakes,
    requested,
    answer,
    status: answer.locator(".status-description").first(),
    // Of an item, and of a block in a text.
    card: (name) => answer.locator('[id$="-tool-call"], [id$="-tc"]', { hasText: new RegExp(`\\b${name}\\b`) }),
    async lines() {
      const text = await answer.locator("#response-content-container").innerText();
      return text.split("\n").filter((line) => line.trim() !== "");
    },
    async send(text) {
      await input.click();
      await page.keyboard.insertText(text);
      // Not Enter: that chooses from the menu which a slash in the text may have opened.
      await page.locator("#send-message-button").click();
    },
    async chat() {
      await page.waitForURL(/\/c\/[^/]+$/);
      return page.url().replace(/^.*\/c\//, "");
    },
    async finished() {
      await stop.waitFor({ state: "detached" });
    },
    async stop() {
      await stop.click();
    },
    reload: () => load(() => page.reload()),
    close: () => context.close(),
  };
};

/** Settles when the page that is loaded next has joined: the server admits its socket only then, with an answer of Socket.IO. */
const joins = async (page: Page): Promise<void> => {
  const socket = await page.waitForEvent("websocket", (candidate) => candidate.url().includes("/ws/socket.io"));
  await socket.waitForEvent("framereceived", ({ payload }) => String(payload).startsWith("40{"));
};
