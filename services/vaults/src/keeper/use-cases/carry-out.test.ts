import { hookLeaf } from '@castellan/chain';
import { expect, test } from '@jest/globals';
import { type Address, type Hex, zeroHash } from 'viem';
import { stateAfter } from '../../strategies/intents/machine.ts';
import type { KeeperPorts } from '../ports.ts';
import { carryOut, type Fired, receive } from './carry-out.ts';

const address = (digit: string) => `0x${digit.repeat(40)}` as Address;
const [source, asset, strategy, vault, hook] = ['1', '2', '3', '4', '5'].map(address) as [
  Address,
  Address,
  Address,
  Address,
  Address,
];
const root: Hex = `0x${'77'.repeat(32)}`;
const document = {
  _id: 's',
  version: 1,
  state: 'RUNNING',
  kind: 'USER_DEFINED',
  target: source,
  definition: {
    action_config: {
      action: 'DEPOSIT',
      execution_address: hook,
      target_address: source,
      from_address: null,
      execution_params: {},
      max_slippage_bps: 50,
    },
  },
};
const field = (name: string, solidity_type: string) => ({ name, solidity_type });
const deposit = {
  ...{ name: 'Deposit', hook_type: 'DEPOSIT', address: hook },
  inspect_params: [{ ...field('yield_source', 'address'), ref_type: 'yield_source', param_order: 0 }],
  calldata: [field('yield_source', 'address'), field('amount', 'uint256')],
};

type On = { isKilled?: boolean; isUnreadable?: boolean; isReplaced?: boolean; promise?: object; kind?: string };

/** An intent of a strategy that fired, carried out until it is sent or ended. */
async function carry(on: On) {
  const kept = { _id: `1:${vault}`, chain_id: 1, vault, open: null };
  const seen = { sent: 0, closed: 0, noted: 0, code: '', state: 'RECEIVED', unfired: [] as unknown[] };
  let isLate = false;
  const ports = {
    chain: {
      chainId: 1,
      roots: async () => ({ strategy: root, global: zeroHash, isVetoed: false }),
      inspect: async () => '0x1234',
      validate: async () => true,
      quote: async () => 1_000n,
      simulate: async () => ({ gas: 100_000n }),
      market: async () => {
        isLate = true;
        return { baseFee: 1n, tip: 1n };
      },
      balance: async () => 10n ** 18n,
      l1Fee: async () => 0n,
      head: async () => ({ number: 1, time: 1 }),
      blockHash: async () => (on.isReplaced ? '0xb5' : '0xa5'),
      minedNonce: async () => 0,
      pendingNonce: async () => 0,
      send: async () => {
        seen.sent += 1;
        return 'accepted';
      },
    },
    signer: { address: address('9'), signTransaction: async () => '0x02' },
    settings: { maxFee: 1_000n, maxGas: 1_000_000n },
    hooks: async () => [deposit],
    trees: {
      byRoot: async () => ({ _id: 'tree', nodes: '00'.repeat(32) }),
      leaf: async (_tree: string, hash: Hex) => (hash === hookLeaf(hook, '0x1234') ? { node: 0 } : null),
    },
    strategies: {
      get: async () => document,
      running: async () => [document],
      engine: async () => ({ kill_switch: isLate && on.isKilled === true }),
    },
    intents: {
      get: async () => null,
      advance: async (intent: { state: 'RECEIVED' }, event: { type: 'ACK'; code?: string }) => {
        const state = stateAfter(intent.state, event.type);
        if (!state) return null;
        Object.assign(seen, { state, code: event.code ?? '' });
        return { ...intent, state };
      },
    },
    journal: {
      note: async () => {
        seen.noted += 1;
        return kept;
      },
      open: async () => [],
      begin: async (_kept: unknown, open: unknown) => ({ ...kept, open }),
      offer: async (begun: unknown) => begun,
      close: async () => {
        seen.closed += 1;
      },
    },
    runs: { unfire: async (...of: unknown[]) => seen.unfired.push(of) },
    refusals: { note: async () => undefined },
    mandates: {
      inForce: async () => (on.isUnreadable ? 'unreadable' : on.promise ? { promises: [on.promise] } : null),
    },
    metrics: { transactions: { inc: () => undefined }, intents: { inc: () => undefined } },
    logger: { info: () => undefined, warn: () => undefined },
    now: () => 0,
  } as unknown as KeeperPorts;
  const allocation = [{ kind: 'source', source_address: source, oracle_address: address('8') }];
  const detail = { vault_address: vault, strategy_address: strategy, asset: { address: asset }, allocation };
  const fired = {
    kept,
    document: { ...document, kind: on.kind ?? document.kind },
    snapshot: { chain_id: 1, vault, detail },
    facts: {
      block_number: 5,
      block_hash: '0xa5',
      tvl: '100',
      free: '55',
      sources: [{ address: source, amount: '45' }],
    },
    decision: { size: { amount: '10' } },
  } as unknown as Fired;
  await carryOut(ports, fired, { _id: 'i', state: 'RECEIVED', expires_at: new Date(60_000).toISOString() } as never);
  return seen;
}

test('default: what is wanted is stored and sent', async () => {
  expect(await carry({})).toMatchObject({ sent: 1, closed: 0, state: 'EXECUTING' });
});

test('error: a mandate that refuses it, while it only warns of what it may warn of', async () => {
  const promise = { id: 'cap', kind: 'source_share', at_most_bps: 5_000, on_breach: 'refuse' };
  expect(await carry({ promise })).toMatchObject({ sent: 0, state: 'ABORTED', code: 'MANDATE_REFUSES' });
  expect(await carry({ promise: { ...promise, on_breach: 'warn' } })).toMatchObject({ sent: 1 });
  expect(await carry({ promise: { ...promise, at_most_bps: 5_500 } })).toMatchObject({ sent: 1 });
  expect(await carry({ promise, kind: 'EMERGENCY_EXIT' })).toMatchObject({ sent: 1 });
});

test('error: a mandate that this version does not understand holds everything back but an exit', async () => {
  expect(await carry({ isUnreadable: true })).toMatchObject({ sent: 0, state: 'ABORTED', code: 'MANDATE_REFUSES' });
  expect(await carry({ isUnreadable: true, kind: 'EMERGENCY_EXIT' })).toMatchObject({ sent: 1 });
});

test('behavior: nothing is sent for a block that a reorg replaced, whose firing then does not count', async () => {
  const refused = { sent: 0, state: 'ABORTED', code: 'SNAPSHOT_STALE', noted: 0, unfired: [['s', 5]] };
  expect(await carry({ isReplaced: true })).toMatchObject(refused);
  expect(await carry({})).toMatchObject({ sent: 1, unfired: [] });
});

test('error: a kill switch set after the simulation, and before the intent takes its transaction', async () => {
  const seen = await carry({ isKilled: true });
  expect(seen).toMatchObject({ sent: 0, closed: 1, state: 'ABORTED', code: 'KILL_SWITCH' });
});

test.each([
  ['USER_DEFINED', 20_000],
  ['EMERGENCY_EXIT', 300_000],
])('behavior: %s is tried for as long as its author says; an exit through several higher offers', async (kind, ms) => {
  let expires_at = '';
  const ports = {
    chain: { blockTimeSeconds: 12 },
    settings: { bumpAfterBlocks: 5 },
    intents: {
      receive: async (intent: { expires_at: string }) => {
        expires_at = intent.expires_at;
      },
    },
    now: () => 0,
  } as unknown as KeeperPorts;
  const action_config = { ...document.definition.action_config, max_duration_seconds: 20 };
  await receive(ports, {
    document: { ...document, kind, definition: { action_config } },
    snapshot: { chain_id: 1, detail: { vault_address: vault, strategy_address: strategy, asset: { address: asset } } },
    facts: { block_number: 5 },
    decision: { size: { amount: '10' } },
  } as unknown as Fired);
  expect(expires_at).toBe(new Date(ms).toISOString());
});
