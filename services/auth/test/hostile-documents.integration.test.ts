import { type Caller, GetJwks, RolesChanged, StepUp } from '@castellan/contracts';
import { publishDurable, recorder } from '@castellan/service-kit';
import { until } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import { sealer } from '../src/adapters/seal.ts';
import { mongoKeyRing } from '../src/adapters/signing-keys.mongo.ts';
import { other } from './harness.ts';
import {
  ask,
  callerOf,
  elsewhere,
  forSessions,
  makeToken,
  proofOf,
  removed,
  revoked,
  sessionsOf,
  signedIn,
  vault,
  world,
} from './session-scene.ts';

/** An attacker who can write to the store but holds no secret of ours gains no token from it, and stops nobody else. */

forSessions();

type Stored = { _id: string; [field: string]: unknown };
const collection = (name: string) => world().auth.context.mongo.collection<Stored>(name);
const distrusted = async (name: string): Promise<number> => {
  const { values = [] } =
    (await world().auth.context.registry.getSingleMetric('auth_distrusted_documents_total')?.get()) ?? {};
  return values.find(({ labels }) => labels.collection === name)?.value ?? 0;
};
const alter = ({ sid }: Caller, fields: Partial<Stored>) =>
  collection('sessions').updateOne({ _id: sid }, { $set: fields });
const later = new Date(Date.now() + 1e12);

describe('sessions', () => {
  test.each<[string, Partial<Stored>]>([
    ['to another wallet', { wallet_address: other.address.toLowerCase() }],
    ['to a later end', { expires_at: later }],
    ['to a wallet that is none', { wallet_address: 'nobody' }],
    ['to an end that is text', { expires_at: 'never' }],
    ['to a scope that there is not', { scope: 'root' }],
  ])('error: no token is made from a session that was changed %s', async (_what, fields) => {
    const { caller, account } = await signedIn();
    const asking = { ...caller, expires_at: Math.floor(Date.now() / 1000) + 3_600 };
    await alter(caller, fields);
    const before = await distrusted('sessions');
    await expect(makeToken(asking)).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
    await expect(ask(StepUp, await proofOf(account), asking)).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
    expect(await distrusted('sessions')).toBeGreaterThan(before);
  });

  test('error: a token for one vault does not become one for all by its record', async () => {
    const { caller, account } = await signedIn();
    const bound = { ...caller, vault };
    await alter(bound, { vault: null });
    const { access_token } = await ask(StepUp, await proofOf(account), bound);
    expect(await callerOf(access_token)).toMatchObject({ vault });
    await alter(bound, { vault: elsewhere });
    await expect(ask(StepUp, await proofOf(account), bound)).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
  });

  test('error: a malformed record hides none of the others, nor keeps them from ending with their role', async () => {
    const { caller } = await signedIn();
    const { session } = await makeToken(caller, { vault });
    const planted = {
      kind: 'token',
      name: 7,
      scope: 'full',
      vault,
      revoked_at: null,
      issued_at: 'never',
      expires_at: later,
      wallet_address: caller.wallet_address.toLowerCase(),
    };
    await collection('sessions').insertMany([
      { ...planted, _id: 'planted-1' },
      { ...planted, _id: 'planted-2', wallet_address: { $ne: '' } },
    ]);
    expect((await sessionsOf(caller)).map(({ id }) => id)).toEqual(expect.arrayContaining([caller.sid, session.id]));
    removed.add(caller.wallet_address);
    const change = { ...vault, block_number: 1 };
    await publishDurable(world().users.context.durable, RolesChanged, change, { msgId: 'hostile-roles' });
    await until('the token has ended', () => revoked.some(({ sid }) => sid === session.id));
  });
});

describe('signing keys', () => {
  test.each<[string, Partial<Stored>]>([
    ['a generation beyond all others', { generation: Number.MAX_SAFE_INTEGER, created_at: new Date() }],
    ['a generation that is text', { generation: 'z', created_at: new Date() }],
    ['the next generation', { generation: 2, created_at: new Date() }],
    ['no time', { generation: 3, created_at: null }],
    ['nothing', {}],
  ])('error: a foreign key with %s is not published, and does not stop the rotation', async (what, fields) => {
    const connection = world().auth.context.mongo.useDb(`hostile_${what.replaceAll(' ', '_')}_${process.pid}`);
    const refused: unknown[] = [];
    let now = Date.now();
    const ring = mongoKeyRing({
      connection,
      recordWith: recorder(connection),
      sealer: sealer(world().config.keySecret),
      distrust: (_name, id) => void refused.push(id),
      rotationSeconds: 1000,
      activationSeconds: 50,
      overlapSeconds: 100,
      now: () => now,
    });
    await ring.refresh();
    const first = ring.active().kid;
    const foreign = { _id: 'foreign', sealed_private_jwk: sealer('x'.repeat(32)).seal('{}', 'foreign'), ...fields };
    await connection.collection<Stored>('signing_keys').insertOne(foreign);
    now += 1_001_000;
    await ring.refresh();
    expect(refused).toContain('foreign');
    expect(ring.publicKeys().map(({ kid }) => kid)).toEqual([expect.not.stringMatching('foreign'), first]);
    await connection.dropDatabase();
  });

  test('default: the running service publishes its own', async () => {
    expect((await ask(GetJwks, {})).keys).toHaveLength(1);
  });
});
