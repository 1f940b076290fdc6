import { AppError } from '@castellan/contracts';
import { createIdentity } from '@castellan/service-kit';
import { testKeys } from '@castellan/testkit';
import type { TokenVerifier } from '@castellan/tokens';
import { describe, expect, test } from '@jest/globals';
import { ChatHandshake } from './chat-handshake.ts';

const caller = { wallet_address: '0x00000000000000000000000000000000000000A1', sid: 's', issuer: 'i' };
const verifier: Pick<TokenVerifier, 'verify'> = {
  verify: async (token) => {
    if (token !== 'good') throw new AppError('TOKEN_EXPIRED', 'The token has expired. Sign in again.');
    return { caller, expiresAtMs: 0, isEmbedded: true };
  },
};
const ports = { verifier: verifier as TokenVerifier, identity: createIdentity('gateway', testKeys('gateway')) };
const ai = createIdentity('ai', testKeys('ai'));

/** A frame as a client sends it. */
function frame(text: string, first = 0x81): Buffer {
  const payload = Buffer.from(text);
  const mask = Buffer.from([1, 2, 3, 4]);
  const long = payload.length > 65_535;
  const head = Buffer.alloc(payload.length < 126 ? 2 : long ? 10 : 4);
  head.writeUInt8(first, 0);
  head.writeUInt8(0x80 | (payload.length < 126 ? payload.length : long ? 127 : 126), 1);
  if (long) head.writeBigUInt64BE(BigInt(payload.length), 2);
  else if (payload.length >= 126) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, mask, payload.map((byte, n) => byte ^ (mask[n % 4] as number))]);
}

function textsOf(bytes: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const short = bytes.readUInt8(at + 1) & 0x7f;
    const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
    const length =
      short === 126 ? bytes.readUInt16BE(at + 2) : short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short;
    const start = at + 2 + extra + 4;
    const mask = bytes.subarray(start - 4, start);
    texts.push(
      Buffer.from(bytes.subarray(start, start + length).map((byte, n) => byte ^ (mask[n % 4] as number))).toString(),
    );
    at = start + length;
  }
  return texts;
}

/** What comes out for these bytes, sent in pieces of a size. */
async function through(bytes: Buffer, size: number): Promise<string[]> {
  const handshake = new ChatHandshake(ports);
  const out: Buffer[] = [];
  handshake.on('data', (chunk: Buffer) => out.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    handshake.once('end', resolve);
    handshake.once('error', reject);
  });
  for (let at = 0; at < bytes.length; at += size) handshake.write(bytes.subarray(at, at + size));
  handshake.end();
  await ended;
  return textsOf(Buffer.concat(out));
}
const packet = (token: unknown) => `40/ai/chat,${JSON.stringify({ token, more: 1 })}`;

describe('the handshake of the chat', () => {
  test.each([1, 7, 1_000_000])(
    'default: the token is exchanged, and all else passes, in pieces of %d bytes',
    async (size) => {
      const others = ['42/ai/chat,["chat:send",{"message":"40 héllo"}]', '3', 'y'.repeat(size === 1 ? 300 : 70_000)];
      const sent = Buffer.concat([frame(packet('good')), ...others.map((text) => frame(text)), frame(packet('good'))]);
      const texts = await through(sent, size);
      expect(texts.slice(1, 4)).toEqual(others);
      for (const text of [texts[0], texts[4]]) {
        const { envelope, ...rest } = JSON.parse((text as string).slice('40/ai/chat,'.length)) as Record<
          string,
          string
        >;
        expect(rest).toEqual({});
        expect(await ai.accept(String(envelope))).toMatchObject({ ...caller, scope: 'prepare' });
      }
      expect(texts.join()).not.toContain('good');
    },
  );

  test.each([
    ['bad', 'TOKEN_EXPIRED'],
    [undefined, 'TOKEN_MISSING'],
    [7, 'TOKEN_INVALID'],
    ['x'.repeat(9_000), 'TOKEN_INVALID'],
  ])('error: the chat gets the reason why there is no envelope for %j', async (token, code) => {
    const [text] = await through(frame(packet(token)), 1_000);
    expect(JSON.parse((text as string).slice('40/ai/chat,'.length))).toMatchObject({ refusal: { code } });
  });

  test.each([
    ['in parts', frame(packet('good'), 0x01)],
    ['compressed', frame(packet('good'), 0xc1)],
    ['too large', frame(packet('x'.repeat(20_000)))],
  ])('error: a handshake that is %s ends the connection', async (_name, bytes) => {
    await expect(through(bytes, 1_000)).rejects.toThrow(/chat/);
  });
});
