import { randomUUID } from 'node:crypto';
import * as contracts from '@castellan/contracts';
import { type Action, type Caller, PrepareChange, RenewEnvelope, type Route, routes } from '@castellan/contracts';
import { testKeys } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { generateKeyPair, importJWK, type JWK, SignJWT, UnsecuredJWT } from 'jose';
import type { ServiceBroker } from 'moleculer';
import { createBroker, createIdentity, createLogger, createRegistry, type Identity } from '../src/index.ts';

/** Strangers on the bus: who holds no key of the gateway, and a service that an attacker took over. */

const isAction = (value: unknown): value is Action =>
  typeof value === 'object' && value !== null && 'callers' in value && 'params' in value && 'result' in value;
const actions = (Object.values(contracts) as unknown[]).filter(isAction);
const named = (name: string): Action => actions.find((one) => one.name === name) as Action;
const grant = named('v1.users.grantViewOnly');
const detail = named('v1.vaults.detail');
const manager: Caller = {
  wallet_address: '0x00000000000000000000000000000000000000A1',
  sid: 'session',
  issuer: 'http://127.0.0.1:8080',
  auth_time: 1_700_000_000,
  expires_at: 4_000_000_000,
};
const statementHeader = 'x-castellan-statement';
const userHeader = 'x-castellan-user';

const namespace = `hostile-${randomUUID().slice(0, 8)}`;
const clock = { now: Date.parse('2026-01-01T00:00:00Z') };
const now = () => clock.now;
const identities = {
  gateway: createIdentity('gateway', testKeys('gateway'), now),
  ai: createIdentity('ai', testKeys('ai'), now),
  users: createIdentity('users', testKeys('users'), now),
  vaults: createIdentity('vaults', testKeys('vaults'), now),
};
/** Actions that ran, with the caller they ran for. */
const reached: { name: string; proven: unknown }[] = [];
const brokerOf = (service: string, identity: Identity): ServiceBroker =>
  createBroker({
    service,
    identity,
    nats: { url: 'inprocess:', namespace },
    registry: createRegistry(service),
    log: createLogger({ service, level: 'silent' }),
  });

let server: ServiceBroker;
let gateway: ServiceBroker;
let attacker: ServiceBroker;
beforeAll(async () => {
  server = brokerOf('server', identities.vaults);
  for (const service of new Set(actions.map(({ name }) => name.split('.')[1] as string))) {
    const own = actions.filter(({ name }) => name.split('.')[1] === service);
    server.createService({
      name: service,
      version: 1,
      actions: {
        ...Object.fromEntries(
          own.map(({ name, callers }) => [
            name.split('.').slice(2).join('.'),
            {
              callers,
              handler: (ctx: { locals: Record<string, unknown> }) => {
                reached.push({ name, proven: ctx.locals.proven });
                return 'reached';
              },
            },
          ]),
        ),
        undeclared: () => 'reached',
      },
    });
  }
  gateway = brokerOf('gateway', identities.gateway);
  attacker = brokerOf('attacker', identities.ai);
  for (const broker of [server, gateway, attacker]) await broker.start();
  for (const broker of [gateway, attacker]) await broker.waitForServices([{ name: 'users', version: 1 }], 60_000);
});
afterAll(async () => {
  for (const broker of [attacker, gateway, server]) await broker.stop();
});
beforeEach(() => void reached.splice(0));

type Headers = Record<string, string>;
/** How the call of an action with these headers ends. */
const outcome = (action: Action, headers: Headers, from = attacker): Promise<string> =>
  from
    .call(action.name, {}, { headers })
    .then(String, ({ type, code }: { type?: string; code?: string }) => type ?? code ?? '');
const proofOf = (identity: Identity, action: Action, from: ServiceBroker, caller?: Caller) =>
  identity.prove(action, from.nodeID, caller);

type Claims = Record<string, unknown>;
const seconds = () => Math.floor(clock.now / 1000);
const envelopeClaims = (more: Claims = {}): Claims => ({
  iss: 'gateway',
  aud: 'users',
  sub: manager.wallet_address,
  sender: 'gateway',
  scope: 'full',
  sid: 's',
  issuer: 'i',
  iat: seconds(),
  exp: seconds() + 60,
  ...more,
});
const statementClaims = (more: Claims = {}): Claims => ({
  iss: 'gateway',
  sub: 'service:gateway',
  aud: 'users',
  sender: attacker.nodeID,
  iat: seconds(),
  exp: seconds() + 60,
  ...more,
});
const types = { statement: 'castellan-statement+jwt', envelope: 'castellan-envelope+jwt' };
const keyOf = (service: 'ai' | 'gateway') => importJWK(testKeys(service).privateKey as JWK, 'EdDSA');
const signed = async (claims: Claims, typ: string, key: Parameters<SignJWT['sign']>[0], kid = 'gateway-test') =>
  new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', typ, kid }).sign(key);

describe('what the gateway sends', () => {
  test('behavior: the chain on which a wallet is proven stays with it, also where the call is relayed and renewed', async () => {
    const contract: Caller = { ...manager, chain_id: 8453 };
    await outcome(detail, await proofOf(identities.gateway, detail, gateway, contract), gateway);
    expect(reached.pop()?.proven).toMatchObject({ caller: { chain_id: 8453 } });
    const envelope = await identities.gateway.issue(contract, 'ai', 'prepare');
    expect(await identities.ai.accept(envelope)).toMatchObject({ chain_id: 8453 });
    expect((await identities.gateway.holderOf(envelope, 'ai')).caller).toMatchObject({ chain_id: 8453 });
    const ofKey = await identities.ai.accept(await identities.gateway.issue(manager, 'ai', 'prepare'));
    expect(ofKey).not.toHaveProperty('chain_id');
    await outcome(
      detail,
      await proofOf(identities.ai, detail, attacker, await identities.ai.accept(envelope)),
      attacker,
    );
    expect(reached.pop()?.proven).toMatchObject({ service: 'ai', caller: { chain_id: 8453 } });
  });

  test('default: it arrives with its user, in the scope that the action takes', async () => {
    expect(await outcome(grant, await proofOf(identities.gateway, grant, gateway, manager), gateway)).toBe('reached');
    expect(await outcome(detail, await proofOf(identities.gateway, detail, gateway, manager), gateway)).toBe('reached');
    expect(reached.map(({ proven }) => proven)).toEqual([
      { service: 'gateway', caller: { ...manager, scope: 'full' } },
      { service: 'gateway', caller: { ...manager, scope: 'read' } },
    ]);
  });

  test('behavior: it is signed once for half a minute, and void after one', async () => {
    const first = await proofOf(identities.gateway, grant, gateway, manager);
    clock.now += 29_000;
    expect(await proofOf(identities.gateway, grant, gateway, manager)).toEqual(first);
    clock.now += 2_000;
    expect(await proofOf(identities.gateway, grant, gateway, manager)).not.toEqual(first);
    expect(await outcome(grant, first, gateway)).toBe('reached');
    clock.now += 35_000;
    expect(await outcome(grant, first, gateway)).toBe('CALLER_UNPROVEN');
  });

  test('error: without a user, an action for users says so', async () => {
    expect(await outcome(grant, await proofOf(identities.gateway, grant, gateway), gateway)).toBe('TOKEN_MISSING');
  });
});

describe('a stranger on the bus', () => {
  test('error: every action but the public ones is closed without proof', async () => {
    for (const action of actions) {
      const ended = await outcome(action, {});
      expect([action.name, ended]).toEqual([action.name, action.callers.public ? 'reached' : 'CALLER_UNPROVEN']);
    }
  });

  test('error: an action that declares no callers takes nobody', async () => {
    const undeclared = { ...grant, name: 'v1.users.undeclared' };
    expect(await outcome(undeclared, await proofOf(identities.gateway, undeclared, gateway, manager), gateway)).toBe(
      'CALLER_UNPROVEN',
    );
  });

  test('error: the claim of a caller in the meta of the bus means nothing', async () => {
    const meta = { caller: manager, proven: { service: 'gateway', caller: manager } };
    const call = attacker.call(grant.name, {}, { meta, headers: await proofOf(identities.ai, grant, attacker) });
    await expect(call).rejects.toMatchObject({ code: 'CALLER_UNPROVEN' });
    expect(reached).toEqual([]);
  });

  test('error: a true pair of proofs is worth nothing from another sender', async () => {
    const proof = await proofOf(identities.gateway, grant, gateway, manager);
    expect(await outcome(grant, proof, attacker)).toBe('CALLER_UNPROVEN');
  });

  test('error: nor is it for another service', async () => {
    const proof = await proofOf(identities.gateway, named('v1.users.list'), gateway, manager);
    expect(await outcome(PrepareChange, proof, gateway)).toBe('CALLER_UNPROVEN');
    const statement = (await proofOf(identities.gateway, PrepareChange, gateway))[statementHeader] as string;
    expect(await outcome(PrepareChange, { ...proof, [statementHeader]: statement }, gateway)).toBe('CALLER_UNPROVEN');
  });

  const forgeries: [string, () => Promise<Headers>][] = [
    [
      'a key of its own',
      async () => {
        const { privateKey } = await generateKeyPair('EdDSA');
        return {
          [statementHeader]: await signed(statementClaims(), types.statement, privateKey),
          [userHeader]: await signed(envelopeClaims(), types.envelope, privateKey),
        };
      },
    ],
    [
      'the key of another service',
      async () => ({
        [statementHeader]: await signed(statementClaims(), types.statement, await keyOf('ai'), 'ai-test'),
        [userHeader]: await signed(envelopeClaims(), types.envelope, await keyOf('ai'), 'ai-test'),
      }),
    ],
    [
      'no algorithm',
      async () => ({
        [statementHeader]: new UnsecuredJWT(statementClaims()).encode(),
        [userHeader]: new UnsecuredJWT(envelopeClaims()).encode(),
      }),
    ],
    [
      'the public key as a shared secret',
      async () => {
        const secret = Buffer.from(String(testKeys('gateway').privateKey.x), 'base64url');
        const hmac = (claims: Claims, typ: string) =>
          new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ, kid: 'gateway-test' }).sign(secret);
        return {
          [statementHeader]: await hmac(statementClaims(), types.statement),
          [userHeader]: await hmac(envelopeClaims(), types.envelope),
        };
      },
    ],
    ['text that is no token', async () => ({ [statementHeader]: 'x.y.z', [userHeader]: '{}' })],
  ];
  test.each(forgeries)('error: proofs made with %s are refused', async (_name, forged) => {
    expect(await outcome(grant, await forged())).toBe('CALLER_UNPROVEN');
  });

  const gatewayStatement = async () => signed(statementClaims(), types.statement, await keyOf('gateway'));
  test.each<[string, () => Claims, string?]>([
    ['has expired', () => ({ iat: seconds() - 120, exp: seconds() - 60 })],
    ['would live for an hour', () => ({ exp: seconds() + 3600 })],
    ['is of a time to come', () => ({ iat: seconds() + 30, exp: seconds() + 60 })],
    ['is for another service', () => ({ aud: 'vaults' })],
    ['is for another sender', () => ({ sender: 'ai' })],
    ['is of another issuer', () => ({ iss: 'users' })],
    ['is a statement in truth', () => ({}), types.statement],
  ])('error: an envelope of the true key that %s is refused', async (_name, more, typ = types.envelope) => {
    const envelope = await signed(envelopeClaims(more()), typ, await keyOf('gateway'));
    const headers = { [statementHeader]: await gatewayStatement(), [userHeader]: envelope };
    expect(await outcome(grant, headers)).toBe('CALLER_UNPROVEN');
  });

  test('error: another wallet cannot be written into a true envelope', async () => {
    const [head, body, signature] = (await signed(envelopeClaims(), types.envelope, await keyOf('gateway'))).split('.');
    const claims = JSON.parse(Buffer.from(body as string, 'base64url').toString()) as Claims;
    const other = Buffer.from(JSON.stringify({ ...claims, sub: `0x${'b'.repeat(40)}` })).toString('base64url');
    const statement = await gatewayStatement();
    expect(await outcome(grant, { [statementHeader]: statement, [userHeader]: `${head}.${other}.${signature}` })).toBe(
      'CALLER_UNPROVEN',
    );
    expect(await outcome(grant, { [statementHeader]: statement, [userHeader]: `${head}.${body}.${signature}` })).toBe(
      'reached',
    );
  });
});

/** Actions behind routes that change something, and of what scope. */
const writes = (Object.values(routes) as unknown as Route[])
  .filter(({ method, scope, action }) => method !== 'GET' && scope !== 'read' && action)
  .map(({ action, scope }) => ({ action: action as Action, scope }));

describe('the AI service, taken over', () => {
  /** What it holds of a user whose chat runs, with a token of every scope. */
  const heldFor = async (scope: 'read' | 'prepare') => {
    const envelope = await identities.gateway.issue(manager, 'ai', scope);
    return { envelope, caller: await identities.ai.accept(envelope) };
  };

  test.each(['read', 'prepare'] as const)('error: with an envelope that may %s it changes nothing', async (scope) => {
    const { envelope, caller } = await heldFor(scope);
    expect(writes.length).toBeGreaterThan(40);
    for (const { action, scope: needed } of writes) {
      const own = await proofOf(identities.ai, action, attacker);
      const honest = await proofOf(identities.ai, action, attacker, caller);
      const ended = [await outcome(action, { ...own, [userHeader]: envelope }), await outcome(action, honest)];
      const mayPrepare = scope === 'prepare' && action.name === PrepareChange.name;
      expect([action.name, needed, ...ended]).toEqual([
        action.name,
        needed,
        ...(mayPrepare
          ? ['reached', 'reached']
          : [expect.not.stringMatching('reached'), expect.not.stringMatching('reached')]),
      ]);
    }
    for (const { name, proven } of reached)
      expect([name, proven]).toEqual([PrepareChange.name, { service: 'ai', caller: { ...manager, scope } }]);
  });

  test('error: what the gateway gave it for a write of its own reads elsewhere', async () => {
    const create = named('v1.ai.createPost');
    const given = (await proofOf(identities.gateway, create, gateway, manager))[userHeader] as string;
    for (const { action } of writes.filter(({ scope }) => scope === 'full')) {
      const own = await proofOf(identities.ai, action, attacker);
      expect([action.name, await outcome(action, { ...own, [userHeader]: given })]).not.toContain('reached');
    }
  });

  test('default: it reads for the user, by the actions that say so', async () => {
    const { caller } = await heldFor('read');
    expect(await outcome(detail, await proofOf(identities.ai, detail, attacker, caller))).toBe('reached');
    expect(reached.at(-1)?.proven).toEqual({ service: 'ai', caller: { ...manager, scope: 'read' } });
    const audit = named('v1.users.auditExport');
    expect(await outcome(audit, await proofOf(identities.ai, audit, attacker, caller))).toBe('CALLER_UNPROVEN');
  });

  test('error: it cannot sign envelopes, and reads for nobody whom the gateway did not send', async () => {
    expect(() => identities.ai.issue(manager, 'vaults', 'full')).toThrow('Only the gateway');
    await expect(proofOf(identities.ai, detail, attacker, { ...manager })).rejects.toMatchObject({
      code: 'CALLER_UNPROVEN',
    });
  });

  test('error: no other service may present what it holds, or have it renewed', async () => {
    const { envelope } = await heldFor('read');
    const statement = (await proofOf(identities.users, detail, attacker))[statementHeader] as string;
    expect(await outcome(detail, { [statementHeader]: statement, [userHeader]: envelope })).toBe('CALLER_UNPROVEN');
    expect(await outcome(RenewEnvelope, await proofOf(identities.users, RenewEnvelope, attacker))).toBe(
      'CALLER_UNPROVEN',
    );
    await expect(identities.gateway.holderOf(envelope, 'users')).rejects.toMatchObject({ code: 'CALLER_UNPROVEN' });
  });

  test('behavior: an envelope that runs out is renewed once, with the scope it had', async () => {
    const { caller } = await heldFor('read');
    let renewals = 0;
    identities.ai.renewBy(async (old) => {
      renewals += 1;
      const { caller: whose, scope } = await identities.gateway.holderOf(old, 'ai');
      return identities.gateway.issue(whose, 'ai', scope);
    });
    clock.now += 90_000;
    const proofs = await Promise.all([1, 2, 3].map(() => proofOf(identities.ai, detail, attacker, caller)));
    expect(renewals).toBe(1);
    for (const proof of proofs) expect(await outcome(detail, proof)).toBe('reached');
    expect(reached.at(-1)?.proven).toEqual({ service: 'ai', caller: { ...manager, scope: 'read' } });
  });
});
