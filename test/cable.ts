import { startCuttingProxy } from "./cutting-proxy.ts";

/** A proxy between a page and a server that can be disconnected and reconnected. */
export interface Cable {
  readonly url: string;
  pull(): void;
  plug(): void;
  close(): Promise<void>;
}

export const startCable = async (url: string): Promise<Cable> => {
  let isPulled = false;
  const proxy = await startCuttingProxy(Number(new URL(url).port), () => (isPulled ? "unreached" : undefined));
  return {
    url: proxy.url,
    pull: () => {
      isPulled = true;
      proxy.cut();
    },
    plug: () => {
      isPulled = false;
    },
    close: proxy.close,
  };
};
