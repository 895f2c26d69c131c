import { type Client, type Connection, createClient, type RunHandle } from "./client.ts";
import { createClock } from "./element/clock.ts";
import { type Controls, createControls } from "./element/controls.ts";
import { make } from "./element/make.ts";
import { createRunFrame } from "./element/run-frame.ts";
import { createRunTree, type RunTree } from "./element/run-tree.ts";
import { sheet } from "./element/sheet.ts";
import type { Entry, RunOutcome } from "./events.ts";
import { createReplay, type Replay } from "./replay.ts";
import { createState, fold, ROOT, type RunState, subscribeByFrame } from "./state.ts";
import { describeRun, eventText } from "./view.ts";

export interface RunViewEventMap {
  /** The connection state has changed. */
  "run-connection": CustomEvent<Connection>;
  /** The end of the run is shown. Not fired in a replay. */
  "run-end": CustomEvent<{ readonly run: string; readonly outcome: RunOutcome }>;
}

/** The module must also load where there is no DOM. */
const Base = (globalThis.HTMLElement ?? Object) as typeof HTMLElement;

const TICK_MS = 200;

/**
 * `<run-view url run token controls>`: shows one run, live and read-only.
 *
 * - `url` is the server's URL (default: the page's origin), `run` the run id, and `token` allows reading it. All may
 *   change at any time.
 * - To show a run without a server, set `entries`. With the `controls` attribute, they can be replayed.
 * - Fires `run-connection` and `run-end`. Follows the run while it is in a document.
 * - Run content is always treated as text: its HTML is never parsed, and nothing is fetched except the run and its image files.
 */
export class RunViewElement extends Base {
  static readonly observedAttributes = ["url", "run", "token", "controls"];
  /** Used instead of `url` and `token`, for example a client with a key. */
  #client: Client | undefined;
  #entries: readonly Entry[] | undefined;
  #files: Readonly<Record<string, string>> = {};
  #shown: { readonly state: () => RunState; readonly close: () => void } | undefined;
  #connection: Connection | undefined;
  #isWaiting = false;

  get client(): Client | undefined {
    return this.#client;
  }
  set client(client: Client | undefined) {
    this.#client = client;
    this.#renew();
  }
  /** A recorded run. Entries may be appended to the list. Set it again to show them. */
  get entries(): readonly Entry[] | undefined {
    return this.#entries;
  }
  set entries(entries: readonly Entry[] | undefined) {
    this.#entries = entries;
    this.#renew();
  }
  /** URLs of the files of `entries`, by file id. */
  get files(): Readonly<Record<string, string>> {
    return this.#files;
  }
  set files(files: Readonly<Record<string, string>>) {
    this.#files = files;
    this.#renew();
  }
  /** The state shown, or undefined if there is none. */
  get state(): RunState | undefined {
    return this.#shown?.state();
  }
  get connection(): Connection | undefined {
    return this.#connection;
  }

  connectedCallback(): void {
    this.#renew();
  }
  disconnectedCallback(): void {
    this.#close();
  }
  attributeChangedCallback(_: string, before: string | null, after: string | null): void {
    if (before !== after) this.#renew();
  }

  /** Batches all changes made in the same task. */
  #renew(): void {
    if (this.#isWaiting || !this.isConnected) return;
    this.#isWaiting = true;
    queueMicrotask(() => {
      this.#isWaiting = false;
      this.#close();
      if (this.isConnected) this.#open();
    });
  }
  #close(): void {
    this.#shown?.close();
    this.#shown = undefined;
    this.#connection = undefined;
  }
  #open(): void {
    const run = this.getAttribute("run");
    if (this.#entries) this.#shown = this.#recorded(this.#entries);
    else if (run) this.#shown = this.#followed(run);
  }

  #draw(file: (file: string) => string | undefined, isLive: boolean) {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const styles = new CSSStyleSheet();
    styles.replaceSync(sheet);
    root.adoptedStyleSheets = [styles];
    const clock = createClock(isLive);
    const frame = createRunFrame(clock);
    const items = make("div", "items");
    const place = make("div", "run", frame.above, items, frame.below);
    root.replaceChildren(place);
    const tree: RunTree = createRunTree({ container: items, clock, file });
    return { frame, clock, tree, place };
  }

  #followed(run: string) {
    const url = this.getAttribute("url") ?? "";
    const token = this.getAttribute("token");
    const client = this.#client ?? createClient({ url, ...(token && { token }) });
    const query = token ? `?token=${encodeURIComponent(token)}` : "";
    const base = `${url.replace(/\/+$/, "")}/runs/${encodeURIComponent(run)}/files/`;
    // With a custom client, the credentials for a file link are unknown.
    const file = (name: string) => (this.#client ? undefined : `${base}${encodeURIComponent(name)}${query}`);
    const { frame, clock, tree } = this.#draw(file, true);
    const state = createState();
    const notify = (connection: Connection): void => {
      this.#connection = connection;
      show();
      this.#fire("run-connection", connection);
      if (connection.status === "finished") this.#fire("run-end", { run, outcome: state.outcome });
    };
    const follow = (): RunHandle => {
      const handle = client.follow(run, { into: state });
      this.#connection = handle.connection;
      handle.subscribe(notify);
      return handle;
    };
    let handle = follow();
    const show = () => {
      frame.show(state, handle.connection);
      this.toggleAttribute("data-still", handle.connection.status !== "live");
    };
    // Browsers limit connections across all tabs, so a hidden tab uses none.
    const look = (): void => {
      if (describeRun(state).isOver || handle.connection.status === "failed") return;
      if (document.hidden) handle.close();
      else if (handle.connection.status === "closed") handle = follow();
    };
    document.addEventListener("visibilitychange", look);
    look();
    tree.show(state);
    show();
    const stop = subscribeByFrame(state, ROOT, show);
    const timer = setInterval(() => {
      // Times advance only while the data is known to be current.
      if (handle.connection.status === "live") clock.tick(Date.now());
    }, TICK_MS);
    return {
      state: () => state,
      close: () => {
        clearInterval(timer);
        document.removeEventListener("visibilitychange", look);
        stop();
        handle.close();
        tree.close();
      },
    };
  }

  #recorded(entries: readonly Entry[]) {
    const { frame, clock, tree, place } = this.#draw((file) => this.#files[file], false);
    if (!this.hasAttribute("controls")) {
      const state = createState();
      for (const entry of entries) fold(state, entry);
      tree.show(state);
      frame.show(state, undefined);
      clock.tick(entries.at(-1)?.at ?? 0);
      this.toggleAttribute("data-still", true);
      return { state: () => state, close: tree.close };
    }
    const replay: Replay = createReplay(entries);
    const show = () => {
      tree.show(replay.state);
      // The replay already advances with animation frames, and each step must be drawn completely.
      tree.flush();
      frame.show(replay.state, undefined);
      clock.tick(entries[replay.seq - 1]?.at ?? 0);
      this.toggleAttribute("data-still", !replay.isPlaying);
    };
    const controls: Controls = createControls(replay, place, (seq) => {
      const entry = entries[seq - 1];
      return entry ? eventText(entry) : "";
    });
    place.append(controls.element);
    const stops = [replay.subscribe(show), keepInView(replay, frame.below)];
    show();
    return {
      state: () => replay.state,
      close: () => {
        for (const stop of stops) stop();
        controls.close();
        tree.close();
      },
    };
  }

  #fire(name: keyof RunViewEventMap, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}

/** Keeps the end in view during playback, until the user scrolls away. */
const keepInView = (replay: Replay, end: HTMLElement): (() => void) => {
  const hands = new AbortController();
  let isLeft = false;
  const leave = (): void => void (isLeft = true);
  addEventListener("wheel", leave, { passive: true, signal: hands.signal });
  addEventListener("touchmove", leave, { passive: true, signal: hands.signal });
  const stop = replay.subscribe(() => {
    if (!replay.isPlaying) isLeft = false;
    else if (!isLeft) end.scrollIntoView({ block: "nearest" });
  });
  return () => {
    stop();
    hands.abort();
  };
};

// A page may load two copies of this module.
if (globalThis.customElements?.get("run-view") === undefined)
  globalThis.customElements?.define("run-view", RunViewElement);

declare global {
  interface HTMLElementTagNameMap {
    "run-view": RunViewElement;
  }
}
