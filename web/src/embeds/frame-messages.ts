/** Messages that an embedded document may send to the page. All others are ignored. */
export type FrameMessage =
  | { readonly type: "ready" }
  | { readonly type: "height"; readonly height: number }
  | { readonly type: "blocked"; readonly origin: string }
  /** Text it proposes for the next message. The user decides whether to send it. */
  | { readonly type: "draft"; readonly text: string }
  /** A request or notification of an MCP App. */
  | { readonly type: "rpc"; readonly rpc: Rpc };

export interface Rpc {
  readonly jsonrpc: "2.0";
  readonly id?: string | number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const MAX_PIXELS = 4000;
const LONGEST_DRAFT = 10_000;

/** Reads a window message. Ignores messages from any window other than the frame's own. */
export const frameMessageOf = (event: MessageEvent<unknown>, frame: Window | null): FrameMessage | undefined => {
  // An opaque origin is written "null". A frame that navigated elsewhere has another.
  if (event.source !== frame || frame === null || event.origin !== "null") return undefined;
  const data = event.data as Record<string, unknown> | null;
  if (typeof data !== "object" || data === null) return undefined;
  if (data["jsonrpc"] === "2.0") return rpcOf(data);
  const own = data["runcast"];
  if (own === "ready") return { type: "ready" };
  if (typeof own === "object" && own !== null) return ownMessage(own as Record<string, unknown>);
  // The format of documents written for Open WebUI.
  if (data["type"] === "iframe:height") return heightOf(data["height"]);
  return undefined;
};

const ownMessage = ({ height, blocked, draft }: Record<string, unknown>): FrameMessage | undefined => {
  if (typeof blocked === "string") {
    const origin = URL.canParse(blocked) ? new URL(blocked).origin : blocked.slice(0, 100);
    return { type: "blocked", origin };
  }
  if (typeof draft === "string") return { type: "draft", text: draft.slice(0, LONGEST_DRAFT) };
  return heightOf(height);
};

const heightOf = (height: unknown): FrameMessage | undefined =>
  typeof height === "number" && Number.isFinite(height)
    ? { type: "height", height: Math.min(Math.max(Math.ceil(height), 0), MAX_PIXELS) }
    : undefined;

const rpcOf = ({ id, method, params }: Record<string, unknown>): FrameMessage | undefined =>
  typeof method === "string"
    ? {
        type: "rpc",
        rpc: {
          jsonrpc: "2.0",
          method,
          params: (typeof params === "object" && params !== null ? params : {}) as Rpc["params"],
          ...((typeof id === "string" || typeof id === "number") && { id }),
        },
      }
    : undefined;
