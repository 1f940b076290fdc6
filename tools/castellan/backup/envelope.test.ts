import { expect, test } from '@jest/globals';
import { SealBroken, seal, unseal } from './envelope.ts';

const passphrase = 'a passphrase of some length';
const chunk = 65_536;

async function* parts(content: Buffer, size = 10_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}
async function whole(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const part of source) read.push(part);
  return Buffer.concat(read);
}
const contentOf = (length: number) => Buffer.alloc(length, 'all that is true ');
const sealed = (length: number) => whole(seal(parts(contentOf(length)), passphrase));
const opened = (file: Buffer, by = passphrase) => whole(unseal(parts(file, 7_777), by));

test('default: what was sealed is opened by its passphrase', async () => {
  for (const length of [0, 2 * chunk, 2 * chunk + 5]) {
    const file = await sealed(length);
    expect(file.includes('all that is true')).toBe(false);
    expect((await opened(file)).equals(contentOf(length))).toBe(true);
  }
});

test('security: each file has a key of its own', async () => {
  const one = await sealed(1);
  expect((await sealed(1)).equals(one)).toBe(false);
});

const broken = async (file: Buffer, by?: string) => {
  await expect(opened(file, by)).rejects.toBeInstanceOf(SealBroken);
};

test('security: another passphrase, a changed byte anywhere, and a file that is cut off are refused', async () => {
  const file = await sealed(2 * chunk + 5);
  const start = file.indexOf(10) + 1;
  await broken(file, 'another passphrase altogether');
  for (const at of [0, start, start + chunk + 20, file.length - 1]) {
    const changed = Buffer.from(file);
    changed[at] = (changed[at] as number) ^ 1;
    await broken(changed);
  }
  await broken(file.subarray(0, file.length - 21));
  await broken(file.subarray(0, start + 2 * (chunk + 16)));
  await broken(file.subarray(0, start));
  await broken(Buffer.concat([file, Buffer.of(0)]));
});

test('security: chunks that change places are refused', async () => {
  const file = await sealed(3 * chunk);
  const start = file.indexOf(10) + 1;
  const size = chunk + 16;
  const at = (place: number) => file.subarray(start + place * size, start + (place + 1) * size);
  await broken(Buffer.concat([file.subarray(0, start), at(1), at(0), at(2)]));
  await broken(Buffer.concat([file.subarray(0, start), at(0), at(2)]));
});

test('security: a header that asks for a cheaper or an endless derivation of the key is refused', async () => {
  const text = (await sealed(2)).toString('latin1');
  for (const n of [2, 2 ** 30]) await broken(Buffer.from(text.replace(/"n":\d+/, `"n":${n}`), 'latin1'));
});
