import type { Browser, Locator, Page } from "playwright-core";
import type { OpenWebUi } from "./open-webui.ts";
import type { Account } from "./account.ts";

export interface ChatPage {
  readonly page: Page;
  /** Uncaught errors of the page. */
  readonly mistakes: string[];
  /** Every URL that the page requested. */
  readonly requested: string[];
  /** The last answer of the chat. */
  readonly answer: Locator;
  send(text: string): Promise<void>;
  /** The ID of the chat, once it is in the page's URL. */
  chat(): Promise<string>;
  /** The line of a tool, by its name, spinning or done. */
  card(name: string): Locator;
  /** The lines of the answer, without what surrounds it. */
  lines(): Promise<string[]>;
  /** The status line above the answer. */
  readonly status: Locator;
  /** Resolves when Open WebUI shows that the answer is complete. */
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
  /** Expands everything, like the setting in Open WebUI. */
  readonly isExpanded?: boolean;
}

/** The timeout for anything expected on the page. */
const WAIT_MS = 60_000;

/** A signed-in tab of Open WebUI. */
export const openChat = async (
  browser: Browser,
  { url, version }: OpenWebUi,
  { token, request }: Account,
  { model, chat, size = { width: 800, height: 600 }, colorScheme = "light", isExpanded = false }: ChatPageOptions = {},
): Promise<ChatPage> => {
  // Without the version, a dialog about new features covers the page.
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
  // Events sent before the page has joined its user's room do not reach it.
  const load = async (go: () => Promise<unknown>) => {
    const joined = joins(page);
    await go();
    await input.waitFor();
    await joined;
  };
  const start = chat ? `${url}/c/${chat}` : `${url}/${model ? `?models=${encodeURIComponent(model)}` : ""}`;
  await load(() => page.goto(start));
  const answer = page.locator('[id^="message-"]:has(.chat-assistant)').last();
  // In older versions the button has no name, only its icon.
  const stop = page.locator('form button:has(path[d*="-2.438c0-.724"])');
  return {
    page,
    mistakes,
    requested,
    answer,
    status: answer.locator(".status-description").first(),
    // Matches both an item and a block in a text.
    card: (name) => answer.locator('[id$="-tool-call"], [id$="-tc"]', { hasText: new RegExp(`\\b${name}\\b`) }),
    async lines() {
      const text = await answer.locator("#response-content-container").innerText();
      return text.split("\n").filter((line) => line.trim() !== "");
    },
    async send(text) {
      await input.click();
      await page.keyboard.insertText(text);
      // Not Enter, which would choose from the menu that a slash in the text may have opened.
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

/** Resolves when the next page has joined: the server only then accepts its socket, with a Socket.IO response. */
const joins = async (page: Page): Promise<void> => {
  const socket = await page.waitForEvent("websocket", (candidate) => candidate.url().includes("/ws/socket.io"));
  await socket.waitForEvent("framereceived", ({ payload }) => String(payload).startsWith("40{"));
};
