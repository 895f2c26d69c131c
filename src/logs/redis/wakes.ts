import { randomBytes } from "node:crypto";
import type { RedisConnection } from "./connection.ts";

export interface WakeListeners {
  onRun(run: string): void;
  onControl(run: string): void;
}

/**
 * Messages on the channel that all processes share: the sender, the topic (`e` entries, `c` controls) and the runs. A
 * process wakes its own watchers directly and ignores its own messages.
 */
export const createWakes = ({ onRun, onControl }: WakeListeners) => {
  const self = randomBytes(9).toString("base64url");
  let waiting = new Set<string>();
  let isSending = false;

  /** Sends one message at a time. Runs that arrive in the meantime go into the next one. */
  const send = async (connection: RedisConnection, channel: string) => {
    isSending = true;
    while (waiting.size > 0) {
      const runs = waiting;
      waiting = new Set();
      await connection.publish(channel, message("e", [...runs])).catch(() => {});
    }
    isSending = false;
  };
  const message = (about: "e" | "c", runs: readonly string[]) => `${self} ${about} ${runs.join(",")}`;

  return {
    message,
    hear(text: string): void {
      const [sender, about, runs = ""] = text.split(" ");
      if (sender === self) return;
      for (const run of runs.split(",")) (about === "c" ? onControl : onRun)(run);
    },
    notify(run: string, connection: RedisConnection, channel: string): void {
      waiting.add(run);
      if (!isSending) void send(connection, channel);
    },
  };
};

export type Wakes = ReturnType<typeof createWakes>;
