import { startCuttingProxy } from "./cutting-proxy.ts";

/** A proxy between a page and a server that can be disconnected and reconnected. */
export interface DisconnectingProxy {
  readonly url: string;
  disconnect(): void;
  reconnect(): void;
  close(): Promise<void>;
}

export const startDisconnectingProxy = async (url: string): Promise<DisconnectingProxy> => {
  let isDisconnected = false;
  const proxy = await startCuttingProxy(Number(new URL(url).port), () => (isDisconnected ? "unreached" : undefined));
  return {
    url: proxy.url,
    disconnect: () => {
      isDisconnected = true;
      proxy.cut();
    },
    reconnect: () => {
      isDisconnected = false;
    },
    close: proxy.close,
  };
};
