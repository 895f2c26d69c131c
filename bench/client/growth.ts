/** How the time for the arguments of one call grows with the number of pieces: the slope in a log-log plot, which is 1 if it is linear. */
export const growth = async (
  grow: (deltas: readonly string[]) => unknown,
  sizes: readonly number[],
  limitMs: number,
): Promise<{ slope: number; ms: number; size: number }> => {
  const points: { size: number; ms: number }[] = [];
  await best(grow, sizes[0]!, 300);
  for (const size of sizes) {
    const last = points.at(-1);
    const before = points.at(-2);
    // Skip sizes that are known to be too slow.
    const factor = last && before ? last.ms / before.ms : 1;
    if (last && last.ms * factor > limitMs) break;
    points.push({ size, ms: await best(grow, size, 200) });
  }
  return { slope: slope(points), ...points.at(-1)! };
};

const best = async (grow: (deltas: readonly string[]) => unknown, size: number, minimumMs: number) => {
  const { deltas, value } = pieces(size);
  let fastest = Infinity;
  let total = 0;
  globalThis.gc?.();
  for (let runs = 0; runs < 3 || total < minimumMs; runs++) {
    const startedAt = performance.now();
    const grown = await grow(deltas);
    const ms = performance.now() - startedAt;
    if (JSON.stringify(grown) !== value) throw new Error(`the arguments came out wrong at ${size} pieces`);
    fastest = Math.min(fastest, ms);
    total += ms;
    if (total > 2000) break;
  }
  return fastest;
};

const pieces = (size: number) => {
  const value = JSON.stringify({ path: "notes.md", content: "a word, ".repeat(size) });
  const length = value.length / size;
  const deltas = Array.from({ length: size }, (_, index) =>
    value.slice(Math.round(index * length), Math.round((index + 1) * length)),
  );
  return { deltas, value };
};

const slope = (points: readonly { size: number; ms: number }[]): number => {
  const xs = points.map((point) => Math.log(point.size));
  const ys = points.map((point) => Math.log(point.ms));
  const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const [meanX, meanY] = [mean(xs), mean(ys)];
  const covariance = xs.reduce((sum, x, index) => sum + (x - meanX) * (ys[index]! - meanY), 0);
  return covariance / xs.reduce((sum, x) => sum + (x - meanX) ** 2, 0);
};
