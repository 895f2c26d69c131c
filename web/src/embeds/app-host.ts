import type { CallNode } from "runcast/state";
import { describeLink, isOver } from "runcast/view";
import type { Rpc } from "./frame-messages.ts";

export interface AppHostOptions {
  /** The call whose result the app shows. */
  readonly call: Pick<CallNode, "input" | "content" | "value" | "endedAt" | "error"> | undefined;
  readonly theme: "light" | "dark";
  readonly onHeight: (height: number) => void;
  readonly onDraft: (text: string) => void;
  readonly onLink: (url: string) => void;
}

type Params = Rpc["params"];

/** The host side of MCP Apps: answers an app's requests and sends it its call once it is ready. */
export const createAppHost = (options: AppHostOptions): ((rpc: Rpc) => readonly object[]) => {
  const requests: Readonly<Record<string, (params: Params) => object>> = {
    "ui/initialize": () => ({
      protocolVersion: "2026-01-26",
      hostInfo: { name: "runcast", version: "1" },
      hostCapabilities: { openLinks: {}, message: { text: {} }, logging: {} },
      hostContext: { theme: options.theme, displayMode: "inline", availableDisplayModes: ["inline"], platform: "web" },
    }),
    "ui/open-link": ({ url }) => {
      const href = typeof url === "string" ? describeLink(url).href : undefined;
      if (href === undefined) return { isError: true };
      options.onLink(href);
      return {};
    },
    "ui/message": ({ content }) => {
      options.onDraft(textOf(content));
      return {};
    },
    "ui/update-model-context": ({ content }) => {
      options.onDraft(textOf(content));
      return {};
    },
    "ui/request-display-mode": () => ({ mode: "inline" }),
    ping: () => ({}),
  };
  const notifications: Readonly<Record<string, (params: Params) => readonly object[]>> = {
    "ui/notifications/initialized": () => aboutCall(options.call),
    "ui/notifications/size-changed": ({ height }) => {
      if (typeof height === "number") options.onHeight(height);
      return [];
    },
  };

  return ({ id, method, params }) => {
    if (id === undefined) return Object.hasOwn(notifications, method) ? notifications[method]!(params) : [];
    if (Object.hasOwn(requests, method)) return [{ jsonrpc: "2.0", id, result: requests[method]!(params) }];
    const message = `${method.slice(0, 100)} is not supported here`;
    return [{ jsonrpc: "2.0", id, error: { code: -32_601, message } }];
  };
};

const aboutCall = (call: AppHostOptions["call"]): readonly object[] => {
  if (!call) return [];
  const input = typeof call.input === "object" && call.input !== null && !Array.isArray(call.input) ? call.input : {};
  const notices = [notification("ui/notifications/tool-input", { arguments: input })];
  if (!isOver(call)) return notices;
  const texts = (call.content ?? []).flatMap((part) =>
    part.type === "text" ? [{ type: "text", text: part.text }] : [],
  );
  return [
    ...notices,
    notification("ui/notifications/tool-result", {
      content: texts,
      ...(typeof call.value === "object" && call.value !== null && { structuredContent: call.value }),
      ...(call.error && { isError: true }),
    }),
  ];
};

const notification = (method: string, params: object): object => ({ jsonrpc: "2.0", method, params });

const textOf = (content: unknown): string => {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts
    .flatMap((part) => {
      const { type, text } = (part ?? {}) as Record<string, unknown>;
      return type === "text" && typeof text === "string" ? [text] : [];
    })
    .join("\n");
};
