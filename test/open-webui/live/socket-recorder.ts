import { type Socket, io } from "socket.io-client";

/** One `events` message of Open WebUI's socket, as every tab of the user gets it. */
export interface SocketMessage {
  readonly at: number;
  /** The size of the transmitted JSON. */
  readonly bytes: number;
  readonly chat_id: string;
  readonly message_id: string;
  readonly data: { readonly type: string; readonly data?: unknown };
}

export interface SocketRecorder {
  /** For requests whose response is expected on this socket. */
  readonly session: string;
  readonly messages: readonly SocketMessage[];
  /** All bytes so far, including the protocol and heartbeats. */
  bytes(): number;
  /** Resolves with the first matching message, old or new. */
  until(fits: (message: SocketMessage) => boolean): Promise<SocketMessage>;
  close(): void;
}

/** Another tab of the same user, without a page: records everything Open WebUI sends. */
export const recordSocket = async (url: string, token: string): Promise<SocketRecorder> => {
  const messages: SocketMessage[] = [];
  const waiting = new Set<(message: SocketMessage) => void>();
  let bytes = 0;
  const socket: Socket = io(url, {
    path: "/ws/socket.io",
    transports: ["websocket"],
    auth: { token },
    forceNew: true,
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });
  socket.io.engine.on("packet", ({ data }: { data?: unknown }) => {
    if (typeof data === "string") bytes += Buffer.byteLength(data);
  });
  socket.on("events", (message: Omit<SocketMessage, "at" | "bytes">, answer?: (value: unknown) => void) => {
    const recorded = { at: Date.now(), bytes: Buffer.byteLength(JSON.stringify(message)), ...message };
    messages.push(recorded);
    for (const notice of waiting) notice(recorded);
    void answer;
  });
  await socket.emitWithAck("user-join", { auth: { token } });
  return {
    session: socket.id ?? "",
    messages,
    bytes: () => bytes,
    until: (fits) =>
      new Promise((resolve) => {
        const found = messages.find(fits);
        if (found) return resolve(found);
        const notice = (message: SocketMessage) => {
          if (!fits(message)) return;
          waiting.delete(notice);
          resolve(message);
        };
        waiting.add(notice);
      }),
    close: () => socket.close(),
  };
};
