import { until } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { connect } from '../../services/ai/test/chat-client.ts';
import { atEveryEntrance, everywhere } from './entrances.ts';
import { documentOf, Forger, genuineKey, newKey, type SigningKey, signingKeysOf } from './token-forger.ts';
import { type World, wallets } from './world.ts';

type Attack = [what: string, make: (forger: Forger, genuine: SigningKey) => string | Promise<string>, code?: string];

const now = () => Math.floor(Date.now() / 1000);
const daySeconds = 86_400;
const foreign = await newKey();

/** Everything but what is named is as in a token that is let in, signed with the key that really signs. */
const attacks: Attack[] = [
  ['another audience', (forger) => forger.token({ claims: { aud: 'another' } })],
  ['no audience', (forger) => forger.token({ claims: { aud: undefined } as never })],
  ['another issuer', (forger) => forger.token({ claims: { iss: 'https://issuer.example' } })],
  ['no issuer', (forger) => forger.token({ claims: { iss: undefined } as never })],
  ['a start that lies ahead', (forger) => forger.token({ claims: { nbf: now() + 300 } })],
  ['no start', (forger) => forger.token({ claims: { nbf: undefined } as never })],
  ['an end that has passed', (forger) => forger.token({ claims: { exp: now() - 60 } }), 'TOKEN_EXPIRED'],
  ['no end', (forger) => forger.token({ claims: { exp: undefined } as never })],
  ['an end that is text', (forger) => forger.token({ claims: { exp: 'never' } as never })],
  [
    'an end beyond that of any token',
    (forger) => forger.token({ claims: { iat: now() - 91 * daySeconds, exp: now() + 900 * daySeconds } }),
    'TOKEN_EXPIRED',
  ],
  ['an issue that lies ahead', (forger) => forger.token({ claims: { iat: now() + 300 } })],
  ['the type of an id token', (forger) => forger.token({ header: { typ: 'JWT' } })],
  ['no type', (forger) => forger.token({ header: { typ: undefined } })],
  ['a foreign key by its own kid', (forger) => forger.token({ key: foreign })],
  ['a foreign key by our kid', (forger, { kid }) => forger.token({ key: foreign, header: { kid } })],
  ['a foreign key that it brings along', (forger) => forger.bringingItsKey(foreign)],
  ['a kid that is a path', (forger) => forger.token({ key: foreign, header: { kid: '../../dev/null' } })],
  ['no kid and a foreign key', (forger) => forger.token({ key: foreign, header: { kid: undefined } })],
  ['alg none', (forger) => forger.unsigned()],
  ['HS256 by the PEM of the public key', (forger) => forger.signedWithPublicText('pem')],
  ['HS256 by the JWK of the public key', (forger) => forger.signedWithPublicText('jwk')],
  ['another wallet under a good signature', (forger) => forger.altered()],
  ['a scope that there is not', (forger) => forger.token({ claims: { castellan_scope: 'root' } })],
  ['no session', (forger) => forger.token({ claims: { sid: undefined } as never })],
  ['a wallet that is none', (forger) => forger.token({ claims: { wallet_address: '0x0' } })],
];

/** Forged tokens at every entrance of the whole system. */
export function tokenAttacks(worldNow: () => World): void {
  const scene = async () => {
    const world = worldNow();
    const genuine = await genuineKey(world);
    return { world, genuine, forger: new Forger(genuine, world.origin) };
  };

  test('default: the untouched token is let in at every entrance', async () => {
    const { world, forger } = await scene();
    expect(await atEveryEntrance(world, await forger.token())).toEqual(everywhere('let in'));
  });

  // Each row has all arguments: for one that is missing jest would give a callback and wait for it.
  test.each(attacks.map(([what, make, code = 'TOKEN_INVALID']) => [what, make, code] as const))(
    'error: a token with %s is refused at every entrance',
    async (_what, make, code) => {
      const { world, genuine, forger } = await scene();
      expect(await atEveryEntrance(world, await make(forger, genuine))).toEqual(everywhere(code));
    },
  );

  test("error: the AI service's own port takes no token, nor a token as an envelope", async () => {
    const { world, forger } = await scene();
    const token = await forger.token();
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const codeFor = async (headers: Record<string, string>) => {
      const answer = await fetch(`${world.chatOrigin}/mcp`, { method: 'POST', body, headers });
      const { error } = (await answer.json()) as { error: { data: { code: string } } };
      return [answer.status, error.data.code];
    };
    expect(await codeFor({ authorization: `Bearer ${token}` })).toEqual([401, 'TOKEN_MISSING']);
    expect(await codeFor({ 'x-castellan-envelope': token })).toEqual([403, 'CALLER_UNPROVEN']);
    for (const [auth, code] of [
      [{ token }, 'TOKEN_MISSING'],
      [{ envelope: token }, 'CALLER_UNPROVEN'],
    ] as const)
      await expect(connect(0, undefined, { auth }, world.chatOrigin)).rejects.toMatchObject({ data: { code } });
  });

  test('behavior: after a rotation both keys count, the old one until its end, and no other', async () => {
    const { world, genuine, forger } = await scene();
    const next = await newKey();
    try {
      await rotateTo(next, { world, forger });
      await endKeysBefore(next, { world, genuine, forger });
    } finally {
      // Other tests hold tokens of the first key.
      await signingKeysOf(world).deleteOne({ _id: next.kid });
      await world.restart('auth');
      await until('the first key counts again', async () => {
        await atEveryEntrance(world, await forger.token({ key: foreign }));
        return (await atEveryEntrance(world, await forger.token())).http === 'let in';
      });
    }
  });
}

type Scene = { world: World; genuine: SigningKey; forger: Forger };
const bySeconds = (age: number) => new Date(Date.now() - age * 1000);

/** A newer key signs from now on; tokens of both are let in. */
async function rotateTo(next: SigningKey, { world, forger }: Pick<Scene, 'world' | 'forger'>): Promise<void> {
  await signingKeysOf(world).insertOne(documentOf(next, { generation: 2, createdAt: bySeconds(150) }));
  await world.restart('auth');
  const token = await world.signIn(wallets.primary);
  const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string };
  expect(header.kid).toBe(next.kid);
  // The gateway asks for keys that it does not know, but not without pause.
  await until('the new key is known', async () => {
    const { http } = await atEveryEntrance(world, await forger.token({ key: next }));
    return http === 'let in';
  });
  expect(await atEveryEntrance(world, token)).toEqual(everywhere('let in'));
  expect(await atEveryEntrance(world, await forger.token())).toEqual(everywhere('let in'));
  expect(await atEveryEntrance(world, await forger.token({ key: foreign }))).toEqual(everywhere('TOKEN_INVALID'));
}

/** The newer key has been there for long: the one before it counts no more. */
async function endKeysBefore(next: SigningKey, { world, genuine, forger }: Scene): Promise<void> {
  await signingKeysOf(world).updateOne({ _id: next.kid }, { $set: { created_at: bySeconds(200 * daySeconds) } });
  await world.restart('auth');
  await until('the old key is forgotten', async () => {
    await atEveryEntrance(world, await forger.token({ key: foreign }));
    return (await atEveryEntrance(world, await forger.token({ key: genuine }))).http === 'TOKEN_INVALID';
  });
  expect(await atEveryEntrance(world, await forger.token({ key: genuine }))).toEqual(everywhere('TOKEN_INVALID'));
  expect(await atEveryEntrance(world, await forger.token({ key: next }))).toEqual(everywhere('let in'));
}
