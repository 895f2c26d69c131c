/** A file in a tar (ustar) archive, a format that every system can read. */
export interface ArchivedFile {
  /** A relative path with `/` as separator. */
  readonly name: string;
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

const BLOCK = 512;

export async function* writeArchive(files: AsyncIterable<ArchivedFile>): AsyncGenerator<Uint8Array> {
  for await (const { name, size, bytes } of files) {
    yield headerOf(name, size);
    let written = 0;
    for await (const piece of bytes) {
      written += piece.length;
      yield piece;
    }
    if (written !== size) throw new Error(`${name} has ${written} bytes instead of ${size}`);
    yield new Uint8Array(paddingOf(size));
  }
  yield new Uint8Array(2 * BLOCK);
}

/**
 * Reads the files of an archive. The bytes of each file must be read before the next. Throws for anything that is not
 * an archive of plain files with relative names, and for a truncated archive.
 */
export async function* readArchive(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ArchivedFile> {
  const input = reader(bytes);
  for (;;) {
    const header = await input.exactly(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    const { name, size } = fileOf(header);
    yield { name, size, bytes: input.pieces(size) };
    await input.exactly(paddingOf(size));
  }
}

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

const headerOf = (name: string, size: number): Buffer => {
  const header = Buffer.alloc(BLOCK);
  // The first part of a long path is stored in a separate field.
  const slash = name.length > 100 ? name.lastIndexOf("/") : -1;
  const [prefix, rest] = [name.slice(0, Math.max(0, slash)), name.slice(slash + 1)];
  if (prefix.length > 155 || rest.length > 100) throw new RangeError(`${name} is too long for an archive`);
  header.write(rest, 0, "latin1");
  // Mode, owner, and group.
  for (const [index, octal] of ["0000600", "0000000", "0000000"].entries())
    header.write(octal, 100 + 8 * index, "latin1");
  if (size < 8 ** 11) header.write(size.toString(8).padStart(11, "0"), 124, "latin1");
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  header.write("00000000000\0" + " ".repeat(8) + "0", 136, "latin1");
  header.write("ustar\x0000", 257, "latin1");
  header.write(prefix, 345, "latin1");
  header.write(`${sumOf(header).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
};

const fileOf = (header: Buffer): { name: string; size: number } => {
  const text = (start: number, length: number) =>
    header.toString("latin1", start, start + length).replace(/\0[^]*$/, "");
  const sum = Number.parseInt(text(148, 8), 8);
  header.fill(" ", 148, 156);
  if (text(257, 5) !== "ustar" || sum !== sumOf(header)) throw new Error("this is not a Runcast archive");
  const size = header[124] === 0x80 ? Number(header.readBigUInt64BE(128)) : Number.parseInt(text(124, 12), 8);
  const name = [text(345, 155), text(0, 100)].filter(Boolean).join("/");
  const isPlain = text(156, 1) === "0" && Number.isSafeInteger(size) && size >= 0;
  if (!isPlain || !/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(name))
    throw new Error(`the archive contains a file that is not from Runcast: ${JSON.stringify(name.slice(0, 100))}`);
  return { name, size };
};

const sumOf = (header: Buffer): number => header.reduce((sum, byte) => sum + byte, 0);

const reader = (bytes: AsyncIterable<Uint8Array>) => {
  const source = bytes[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  const more = async (): Promise<void> => {
    const { done, value } = await source.next();
    if (done) throw new Error("the archive is truncated");
    held = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  };
  const take = (most: number): Buffer => {
    const taken = held.subarray(0, most);
    held = held.subarray(most);
    return taken;
  };
  async function* pieces(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0;) {
      if (held.length === 0) await more();
      const piece = take(left);
      left -= piece.length;
      if (piece.length > 0) yield piece;
    }
  }
  return { pieces, exactly: async (size: number) => Buffer.concat(await Array.fromAsync(pieces(size))) };
};
