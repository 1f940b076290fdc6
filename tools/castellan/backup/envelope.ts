import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { z } from 'zod';

/**
 * How a backup is sealed: a line of JSON that says how, then the content in chunks of AES-256-GCM under a key that scrypt makes of a
 * passphrase and a salt of this file alone. A chunk's nonce is its number and whether it is the last, so that none can be left out,
 * repeated, moved or cut off; the line is part of what each chunk authenticates.
 */
const magic = 'castellan-backup 1 ';
const chunkBytes = 65_536;
const tagBytes = 16;
const longestHeader = 1024;

const Header = z.strictObject({
  cipher: z.literal('aes-256-gcm'),
  kdf: z.literal('scrypt'),
  // Not less than OWASP asks for, and not more than a restore should be made to compute: 1 GiB.
  n: z.literal([2 ** 17, 2 ** 18, 2 ** 19, 2 ** 20]),
  r: z.literal(8),
  p: z.literal(1),
  salt: z.base64().length(44),
});

/** The file is no backup, was changed, is cut off, or the passphrase is another one. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

const cost = 2 ** 17;

/** By passphrase and header: a restore reads its file twice. */
const keys = new Map<string, Promise<Buffer>>();

function keyOf(passphrase: string, header: z.output<typeof Header>): Promise<Buffer> {
  const name = JSON.stringify([passphrase, header]);
  const key = keys.get(name) ?? deriveKey(passphrase, header);
  keys.set(name, key);
  return key;
}

function deriveKey(passphrase: string, { n, r, p, salt }: z.output<typeof Header>): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N: n, r, p, maxmem: 256 * n * r };
    scrypt(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64'), 32, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

function nonceOf(place: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(place), 3);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** Pieces of exactly `size` bytes, and the rest, with whether it is the last: one at least, which may be empty. */
async function* inPieces(
  source: AsyncIterable<Buffer>,
  size: number,
): AsyncGenerator<{ piece: Buffer; isLast: boolean }> {
  let waiting: Buffer[] = [];
  let length = 0;
  for await (const part of source) {
    waiting.push(part);
    length += part.length;
    if (length <= size) continue;
    let rest = Buffer.concat(waiting);
    // The newest piece waits: only the end shows which one is the last.
    while (rest.length > size) {
      yield { piece: rest.subarray(0, size), isLast: false };
      rest = rest.subarray(size);
    }
    waiting = [rest];
    length = rest.length;
  }
  yield { piece: Buffer.concat(waiting), isLast: true };
}

/** Seals content as it comes. */
export async function* seal(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const header = { cipher: 'aes-256-gcm', kdf: 'scrypt', n: cost, r: 8, p: 1, salt: '' } as const;
  const salted = { ...header, salt: randomBytes(32).toString('base64') };
  const line = Buffer.from(`${magic}${JSON.stringify(salted)}\n`);
  const key = await keyOf(passphrase, salted as z.output<typeof Header>);
  yield line;
  let place = 0;
  for await (const { piece, isLast } of inPieces(source, chunkBytes)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(place, isLast)).setAAD(line);
    yield Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()]);
    place += 1;
  }
}

/** The line that a sealed file begins with, and what comes behind it. */
async function splitHeader(source: AsyncIterable<Buffer>): Promise<{ line: Buffer; rest: AsyncIterable<Buffer> }> {
  const parts = source[Symbol.asyncIterator]();
  let read = Buffer.alloc(0);
  while (!read.includes(10) && read.length < longestHeader) {
    const { value, done } = await parts.next();
    if (done) break;
    read = Buffer.concat([read, value]);
  }
  const end = read.indexOf(10);
  if (!read.subarray(0, magic.length).equals(Buffer.from(magic)) || end < 0)
    throw new SealBroken('This file is no backup of this program, or of a newer release.');
  const first = read.subarray(end + 1);
  async function* rest() {
    yield first;
    yield* { [Symbol.asyncIterator]: () => parts };
  }
  return { line: read.subarray(0, end + 1), rest: rest() };
}

function headerOf(line: Buffer): z.output<typeof Header> {
  try {
    return Header.parse(JSON.parse(line.subarray(magic.length).toString('utf8')));
  } catch (error) {
    throw new SealBroken('The first line of this backup is damaged, or of a newer release.', { cause: error });
  }
}

/** Opens what `seal` made. What it yields is authentic; that it is complete is known once it ends. @throws SealBroken */
export async function* unseal(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const { line, rest } = await splitHeader(source);
  const key = await keyOf(passphrase, headerOf(line));
  let place = 0;
  for await (const { piece, isLast } of inPieces(rest, chunkBytes + tagBytes)) {
    yield opened(piece, key, { line, place, isLast });
    place += 1;
  }
}

function opened(piece: Buffer, key: Buffer, at: { line: Buffer; place: number; isLast: boolean }): Buffer {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(at.place, at.isLast), { authTagLength: tagBytes });
    decipher.setAAD(at.line).setAuthTag(piece.subarray(-tagBytes));
    return Buffer.concat([decipher.update(piece.subarray(0, -tagBytes)), decipher.final()]);
  } catch (error) {
    const fault =
      at.place === 0
        ? 'The passphrase is another one, or the backup is damaged.'
        : `The backup is damaged or cut off behind byte ${at.line.length + at.place * (chunkBytes + tagBytes)}.`;
    throw new SealBroken(fault, { cause: error });
  }
}
