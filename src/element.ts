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
  /** What is known of the connection has changed. */
  "run-connection": CustomEvent<Connection>;
  /** The run's end is shown; never for a replay. */
  "run-end": CustomEvent<{ readonly run: string; readonly outcome: RunOutcome }>;
}

/** A module that names an element must also load where there are none. */
const Base = (globalThis.HTMLElement ?? Object) as typeof HTMLElement;

const TICK_MS = 200;

/**
 * `<run-view url run token controls>`: shows one run, live, and lets nobody do anything to it.
 *
 * - `url` is the server's (default: the page's own), `run` the run's id, `token` allows reading it. They may change at any time.
 * - Without a server: set `entries`. With the attribute `controls` those can be replayed.
 * - Fires `run-connection` and `run-end`. Follows for as long as it is in a document.
 * - What a run says stays text: no HTML of it is read, nothing is fetched but the run, and pictures among its files.
 */
export class RunViewElement extends Base {
  static readonly observedAttributes = ["url", "run", "token", "controls"];
  /** Instead of `url` and `token`, such as a client with a key. */
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
  /** A recorded run. More may be added to the end of the list; set it again to show them. */
  get entries(): readonly Entry[] | undefined {
    return this.#entries;
  }
  set entries(entries: readonly Entry[] | undefined) {
    this.#entries = entries;
    this.#renew();
  }
  /** Addresses of the files of `entries`, by the file's id. */
  get files(): Readonly<Record<string, string>> {
    return this.#files;
  }
  set files(files: Readonly<Record<string, string>>) {
    this.#files = files;
    this.#renew();
  }
  /** What is shown; undefined while nothing is. */
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

  /** Once for all that is changed in one go. */
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
    // With a client of its own nobody knows how a link could show who may read.
    const file = (name: string) => (this.#client ? undefined : `${base}${encodeURIComponent(name)}${query}`);
    const { frame, clock, tree } = this.#draw(file, true);
    const state = createState();
    const tell = (connection: Connection): void => {
      this.#connection = connection;
      show();
      this.#fire("run-connection", connection);
      if (connection.status === "finished") this.#fire("run-end", { run, outcome: state.outcome });
    };
    const follow = (): RunHandle => {
      const made = client.follow(run, { into: state });
      this.#connection = made.connection;
      made.subscribe(tell);
      return made;
    };
    let handle = follow();
    const show = () => {
      frame.show(state, handle.connection);
      this.toggleAttribute("data-still", handle.connection.status !== "live");
    };
    // A browser has few connections for all of its tabs: one that nobody sees takes none.
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
      // What is not known to be the present does not get older.
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
      // Its steps come with the page's frames already, and a step is seen whole.
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

/** While it plays, its end stays in view, until the reader moves away by hand. */
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

// Two copies of this module may meet on one page.
if (globalThis.customElements?.get("run-view") === undefined)
  globalThis.customElements?.define("run-view", RunViewElement);

declare global {
  interface HTMLElementTagNameMap {
    "run-view": RunViewElement;
  }
}
