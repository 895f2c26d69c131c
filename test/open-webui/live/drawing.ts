import { crc32, deflateSync } from "node:zlib";

export const DRAWING = { width: 240, height: 120 } as const;

/** A PNG of two colored halves, large enough to be seen in a screenshot. */
export const drawing = (): Uint8Array => {
  const { width, height } = DRAWING;
  const half = (color: readonly number[]) => Array.from({ length: width / 2 }, () => color).flat();
  const row = [0, ...half([30, 64, 175]), ...half([250, 204, 21])];
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits per channel, RGB.
  header.set([8, 2], 8);
  const pixels = deflateSync(Buffer.from(Array.from({ length: height }, () => row).flat()));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
};

const chunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
};
