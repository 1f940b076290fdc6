import { AppError } from '@castellan/contracts';
import { LeaseLost } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import { type Hex, keccak256 } from 'viem';
import type { Attempt, Kept, Open, Over } from '../adapters/journal.mongo.ts';
import type { KeeperPorts, Receipt } from '../ports.ts';
import { followOpen } from './follow.ts';

const me = `0x${'9'.repeat(40)}` as const;
const hash = keccak256('0xdd');
const attempt: Attempt = { hash, raw: '0xdd', max_fee: '10', tip: '1', kind: 'deliver', block: 1 };
type Transaction = Kept & { open: Open };

const transaction = (over: Partial<Open> = {}, vault = '0xa'): Transaction => {
  const open = { key: 'int', kind: 'intent', account: me, nonce: 0, to: me, data: '0x01', gas: '1', offered: true };
  const times = { expires_at: new Date(600_000).toISOString(), attempts: [attempt] };
  return {
    _id: `1:${vault}`,
    chain_id: 1,
    vault,
    failing: [],
    paying: {},
    open: { ...open, ...times, ...over },
  } as unknown as Transaction;
};

/** A keeper that follows what is open; `mined` has the forms that the chain took. */
function following(open: Transaction[], { isKilled = true, mined = {} as Record<Hex, Partial<Receipt>> } = {}) {
  const state = {
    sent: [] as Hex[],
    codes: [] as string[],
    unfired: 0,
    forms: [] as string[],
    minedForm: undefined as string | undefined,
    closed: [] as unknown[],
    runs: [] as unknown[],
    logged: 0,
  };
  const count = { inc: () => undefined };
  let living = open;
  let intent = {
    ...{ _id: 'int', state: 'EXECUTING', strategy_id: 's', terminal_at: '' },
    ...{ signal: { block_number: 1 }, transaction: { hash } },
  };
  const kept = (next: Transaction) => {
    living = living.map((item) => (item._id === next._id ? next : item));
    return next;
  };
  const ports = {
    chain: {
      chainId: 1,
      confirmations: 1,
      receipt: async (of: Hex) => (mined[of] ? { hash: of, blockNumber: 2, ...mined[of] } : null),
      minedNonce: async () => 0,
      pendingNonce: async () => 0,
      market: async () => ({ baseFee: 10n, tip: 1n }),
      head: async () => ({ number: 2, time: 2 }),
      balance: async () => 10n ** 18n,
      l1Fee: async () => 0n,
      simulate: async () => ({ gas: 21_000n }),
      send: async (raw: Hex) => {
        state.sent.push(raw);
        return 'accepted';
      },
    },
    signer: { address: me, signTransaction: async ({ data }: { data: Hex }) => (data === '0x' ? '0xee' : '0xdd') },
    settings: { maxFee: 1_000n, bumpAfterBlocks: 100, redemptionsAtOnce: 20 },
    strategies: { engine: async () => ({ kill_switch: isKilled }), get: async () => null },
    intents: {
      get: async () => intent,
      noteForms: async (_id: string, hashes: string[], mined?: string) => {
        state.forms = hashes;
        state.minedForm = mined;
      },
      advance: async (_before: unknown, { code }: { code: string }) => {
        if (intent.state !== 'EXECUTING') return null;
        state.codes.push(code);
        intent = { ...intent, state: 'FAILED', terminal_at: 'now' };
        return intent;
      },
    },
    runs: {
      unfire: async () => {
        state.unfired += 1;
      },
    },
    journal: {
      open: async () => living,
      offer: async (before: Transaction) => kept({ ...before, open: { ...before.open, offered: true } }),
      replace: async (before: Transaction, added: Attempt) =>
        kept({ ...before, open: { ...before.open, attempts: [...before.open.attempts, added] } }),
      close: async (before: Transaction, { block, outcome, paying, run }: Over = {}) => {
        living = living.filter(({ _id }) => _id !== before._id);
        state.closed.push({ block, outcome, ...(paying !== undefined && { paying }) });
        state.runs.push(run);
        return before;
      },
    },
    metrics: { open: { set: () => undefined }, transactions: count, intents: count },
    logger: {
      info: () => undefined,
      warn: () => undefined,
      error: () => {
        state.logged += 1;
      },
    },
    now: () => 0,
  } as unknown as KeeperPorts;
  return { ports, state, pass: (over: object = {}) => followOpen({ ...ports, ...over }, { number: 2, time: 2 }) };
}

test('default: what is on its way is sent again', async () => {
  const { state, pass } = following([transaction()], { isKilled: false });
  await pass();
  expect(state).toMatchObject({ sent: ['0xdd'], closed: [] });
});

test('error: the kill switch forgets what no node has seen, and its strategy has not fired', async () => {
  for (const kind of ['intent', 'fulfil'] as const) {
    const { state, pass } = following([transaction({ offered: false, kind })]);
    await pass();
    expect(state).toMatchObject({ sent: [], closed: [{ block: undefined, outcome: undefined }] });
    expect(state).toMatchObject(kind === 'intent' ? { codes: ['KILL_SWITCH'], unfired: 1 } : { codes: [], unfired: 0 });
  }
});

test('error: what the kill switch has ended is not sent by a keeper that comes after it was cleared', async () => {
  const { state, ports, pass } = following([transaction({ offered: false })]);
  const killed = async () => {
    throw new LeaseLost('keeper:1', 'It died.');
  };
  await expect(pass({ journal: { ...ports.journal, close: killed } })).rejects.toBeInstanceOf(LeaseLost);
  await pass({ strategies: { ...ports.strategies, engine: async () => ({ kill_switch: false }) } });
  expect(state).toMatchObject({ codes: ['KILL_SWITCH'], sent: [] });
  expect(state.closed).toHaveLength(1);
});

test('error: the kill switch takes the nonce of what a node may have, and nothing else is sent again', async () => {
  const { state, pass } = following([transaction()]);
  await pass();
  await pass();
  expect(state).toMatchObject({ sent: ['0xee', '0xee'], closed: [] });
});

test('error: what the key of another keeper has signed is not sent while the kill switch is on', async () => {
  const { state, pass } = following([transaction({ account: `0x${'8'.repeat(40)}` })]);
  await pass();
  expect(state).toMatchObject({ sent: [], closed: [] });
});

test('behavior: it ends with the code of what it was given up for, and the alerts hear of no kill switch', async () => {
  const cancel: Attempt = { ...attempt, hash: '0xce', raw: '0xee', kind: 'cancel' };
  for (const code of ['KILL_SWITCH', 'EXPIRED'] as const) {
    const given = transaction({ attempts: [attempt, { ...cancel, code }] });
    const { state, pass } = following([given], { mined: { '0xce': { succeeded: true } } });
    await pass();
    expect(state.codes).toEqual([code]);
    expect(state.minedForm).toBe('0xce');
    const outcome = code === 'EXPIRED' ? { subject: 's', failure: expect.any(String) } : undefined;
    expect(state.closed).toEqual([{ block: 2, outcome }]);
  }
});

test('behavior: one whose receipt cannot be read does not hold up those behind it', async () => {
  for (const fault of [new Error('The node answers nonsense.'), new AppError('RPC_UNAVAILABLE', 'Away.')]) {
    const second = transaction({ attempts: [{ ...attempt, hash: '0xbb', raw: '0xbb' }], kind: 'fulfil' }, '0xb');
    const { state, ports, pass } = following([transaction(), second], { isKilled: false });
    const receipt = async (of: Hex) => {
      if (of === hash) throw fault;
      return null;
    };
    await pass({ chain: { ...ports.chain, receipt } });
    expect(state.sent).toEqual(['0xbb']);
  }
});

test('error: a nonce that is used up by no known form is not called lost at once: the node of the receipt may lag', async () => {
  /** Its nonce is used from block 3 on; what comes of that by `head`, when the receipt is known from `known` on. */
  const upTo = async (head: number, known = Number.POSITIVE_INFINITY) => {
    const { state, ports } = following([transaction({ kind: 'fulfil' })], { isKilled: false });
    const minedNonce = async (_account: Hex, block = 0) => (block >= 3 ? 1 : 0);
    for (let number = 2; number <= head; number += 1) {
      const receipt = async () => (number < known ? null : { hash, blockNumber: 3, succeeded: true });
      const chain = { ...ports.chain, minedNonce, receipt } as KeeperPorts['chain'];
      await followOpen({ ...ports, chain }, { number, time: number });
    }
    expect(state.sent).toEqual(['0xdd']);
    return state;
  };
  expect(await upTo(22)).toMatchObject({ closed: [], logged: 0 });
  expect(await upTo(22, 22)).toMatchObject({ closed: [{ block: 3 }], logged: 0 });
  expect(await upTo(22, 22)).toMatchObject({ runs: [{ result: 'done', code: null, tx_hash: hash, forms: 1 }] });
  expect(await upTo(23)).toMatchObject({
    closed: [{ block: 23 }],
    runs: [{ result: 'failed', code: 'NONCE_USED', tx_hash: null }],
    logged: 1,
  });
});

test('behavior: redemptions that were reverted are paid one at a time from then on', async () => {
  const { state, pass } = following([transaction({ kind: 'fulfil' })], { mined: { [hash]: { succeeded: false } } });
  await pass();
  expect(state.closed).toMatchObject([{ paying: { fulfil: { at_once: 1, after: null } } }]);
  expect(state.runs).toMatchObject([
    { kind: 'fulfil', subject: 'vault:redemptions', result: 'failed', code: 'REVERTED' },
  ]);
});

test('behavior: an intent keeps every form that took the place of its first', async () => {
  const { state, ports, pass } = following([transaction()], { isKilled: false });
  await pass();
  expect(state.forms).toEqual([]);
  await pass({ settings: { ...ports.settings, bumpAfterBlocks: 1 } });
  expect(state.forms).toEqual([hash]);
  const killed = following([transaction()]);
  await killed.pass();
  expect(killed.state.forms).toEqual([keccak256('0xee')]);
});
