import { type Caller, RolesChanged } from '@castellan/contracts';
import { publishDurable } from '@castellan/service-kit';
import { until, untilPromised } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import {
  callerOf,
  elsewhere,
  forSessions,
  makeToken,
  removed,
  revoked,
  rowsOf,
  sessionsOf,
  signedIn,
  vault,
  world,
} from './session-scene.ts';

forSessions();

describe('the end of a role', () => {
  let changes = 0;
  const changed = (where: { chain_id: number; vault_address: string } = vault) => {
    changes += 1;
    const change = { ...where, block_number: 1 };
    return publishDurable(world().users.context.durable, RolesChanged, change, { msgId: `roles-${changes}` });
  };
  const ended = (caller: Caller) => rowsOf(caller).filter(({ action_type }) => action_type === 'session_revoked');

  test('default: ends the tokens bound to the vault within 5 s, and none else', async () => {
    const { caller } = await signedIn();
    const stays = (await signedIn()).caller;
    const bound = await makeToken(caller, { vault });
    const all = await makeToken(caller);
    const other = await makeToken(caller, { vault: elsewhere });
    const theirs = await makeToken(stays, { vault });
    removed.add(caller.wallet_address);
    await changed();
    await untilPromised('the announcement', () => revoked.some(({ sid }) => sid === bound.session.id), 5_000);
    const live = (await sessionsOf(caller)).filter(({ revoked_at }) => revoked_at === null).map(({ id }) => id);
    expect(new Set(live)).toEqual(new Set([caller.sid, all.session.id, other.session.id]));
    expect((await sessionsOf(stays)).find(({ id }) => id === theirs.session.id)).toMatchObject({ revoked_at: null });
    await until('the row', () => ended(caller).length > 0);
    expect(ended(caller)[0]).toMatchObject({ ...vault, details: { kind: 'token', reason: 'role_ended' } });
  });

  test('behavior: once more changes nothing, and a role elsewhere is no reason to stay', async () => {
    const { caller } = await signedIn();
    await makeToken(caller, { vault });
    const { access_token } = await makeToken(caller, { vault: elsewhere });
    removed.add(caller.wallet_address);
    for (const where of [vault, vault, elsewhere]) await changed(where);
    // Changes are handled in their order: when this one was, those before it were.
    const last = (await signedIn()).caller;
    await makeToken(last, { vault });
    removed.add(last.wallet_address);
    await changed();
    await until('the row', () => ended(last).length > 0);
    expect((await sessionsOf(await callerOf(access_token))).map(({ revoked_at }) => revoked_at)).toEqual([null]);
    expect(ended(caller)).toHaveLength(1);
  });
});
