/** Gates that a test opens when it has seen enough, so that a tool lasts exactly as long as the test needs. */
export interface Gates {
  /** Resolves when the gate is opened. Rejects when the signal aborts. */
  pass(name: string, signal: AbortSignal): Promise<void>;
  open(name: string): void;
  /** Resolves when a caller is waiting at the gate. */
  reached(name: string): Promise<void>;
  /** Resolves with the time when a waiting caller was aborted. */
  left(name: string): Promise<number>;
  /** Puts a new gate in the place of this one. */
  renew(name: string): void;
}

export const createGates = (): Gates => {
  const doors = new Map<string, ReturnType<typeof createDoor>>();
  const door = (name: string) => {
    const known = doors.get(name) ?? createDoor();
    doors.set(name, known);
    return known;
  };
  return {
    async pass(name, signal) {
      const { opened, reached, left } = door(name);
      reached.resolve();
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener("abort", () => {
          left.resolve(performance.now());
          reject(signal.reason as Error);
        });
        void opened.promise.then(resolve);
      });
    },
    open: (name) => door(name).opened.resolve(),
    reached: (name) => door(name).reached.promise,
    left: (name) => door(name).left.promise,
    renew: (name) => void doors.delete(name),
  };
};

const createDoor = () => ({
  opened: Promise.withResolvers<void>(),
  reached: Promise.withResolvers<void>(),
  left: Promise.withResolvers<number>(),
});
