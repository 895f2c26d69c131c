import { randomBytes } from "node:crypto";
import type { RedisConnection } from "./connection.ts";

export interface WakeListeners {
  onRun(run: string): void;
  onControl(run: string): void;
}

/**
 * Messages on the one channel of all processes: who sends, what about (`e` entries, `c` controls), which runs. A process wakes
 * its own watchers itself and leaves out what it hears from itself.
 */
export const createWakes = ({ onRun, onControl }: WakeListeners) => {
  const self = randomBytes(9).toString("base64url");
  let waiting = new Set<string>();
  let isSending = false;

  /** At most one message under way: what comes meanwhile goes with the next. */
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
    tell(run: string, connection: RedisConnection, channel: string): void {
      waiting.add(run);
      if (!isSending) void send(connection, channel);
    },
  };
};

export type Wakes = ReturnType<typeof createWakes>;
