import type { PreparedCall, PreparedResource } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { encodeFunctionData, keccak256, parseAbi } from 'viem';
import { createClient } from '../index.ts';
import {
  type Asked,
  CallFailed,
  CallRefused,
  followCall,
  intentOf,
  knownSignatures,
  type Progress,
  prepareChange,
  reviewChange,
  type SendingWallet,
  sendChange,
} from './index.ts';

const address = (byte: string) => `0x${byte.repeat(20)}`;
const [vault, strategy, aggregator, wallet_address] = ['11', '22', '33', '44'].map(address) as [
  string,
  string,
  string,
  string,
];
const change: Asked = { kind: 'set_deviation_threshold', args: { deviation_threshold_bps: 500 } };
const threshold = 500n * 10n ** 14n;

const aCall = (parts: Partial<PreparedCall> = {}): PreparedCall => ({
  id: 'c1',
  to: aggregator,
  data: encodeFunctionData({
    abi: parseAbi(knownSignatures),
    functionName: 'updateDeviationThreshold',
    args: [strategy as `0x${string}`, threshold],
  }),
  value: '0',
  chain_id: 31337,
  description: 'Sets the deviation guard to 5%.',
  decoded: {
    function: 'updateDeviationThreshold',
    args: { strategy, deviationThreshold_: String(threshold) },
  },
  simulation: { ok: true, revert_reason: null },
  preconditions: [{ code: 'ROLE_REQUIRED', ok: true, detail: 'The wallet is the primary manager.' }],
  changes: [{ field: 'deviation_threshold_bps', before: 100, after: 500 }],
  post_condition: { description: 'The guard is 5%.' },
  expires_at: '2026-06-01T13:00:00.000Z',
  signer: { wallet_address, kind: 'eoa', package: null },
  ...parts,
});

const aResource = (status: PreparedResource['status'], parts: Partial<PreparedResource> = {}): PreparedResource => ({
  ...aCall(),
  kind: 'set_deviation_threshold',
  vault_address: vault,
  prepared_by: wallet_address,
  prepared_at: '2026-06-01T12:00:00.000Z',
  block_number: 1,
  forced: false,
  reason: null,
  status,
  tx_hash: null,
  revert_reason: null,
  post_condition: { description: 'The guard is 5%.', ok: null, actual: null },
  history: [],
  ...parts,
});

type Reads = (PreparedResource | Response)[];

/** A deployment that answers reads of the call one after the other, the last one again; and a wallet. */
const deployment = (reads: Reads, { reports = [] as Response[], chainId = 31337, call = aCall() } = {}) => {
  const asked: string[] = [];
  const sent: { to: string; value: bigint }[] = [];
  const answers = [...reads];
  const fake: typeof fetch = async (url, init) => {
    const { pathname, search } = new URL(String(url));
    asked.push(`${init?.method} ${pathname.split('/').at(-1)}${search}`);
    if (pathname.endsWith('/broadcast')) return reports.shift() ?? Response.json(aResource('broadcast'));
    if (pathname.includes('/prepared/')) {
      const next = answers.length > 1 ? answers.shift() : answers[0];
      return next instanceof Response ? next : Response.json(next);
    }
    return Response.json(call);
  };
  const wallet: SendingWallet = {
    account: { address: wallet_address },
    getChainId: async () => chainId,
    sendTransaction: async (transaction: { to: string; value: bigint }) => {
      sent.push(transaction);
      return `0x${'ab'.repeat(32)}`;
    },
  };
  const clock = { now: () => 0, wait: async () => undefined };
  return { client: createClient({ baseUrl: 'http://x', token: 't', fetch: fake }), wallet, clock, asked, sent };
};

const intent = { chainId: 31337, vault, strategy, upkeepToken: null, ...change };
const away = () => Response.json({ code: 'SERVICE_UNAVAILABLE', detail: 'away' }, { status: 503 });

describe('reviewing', () => {
  test('default: a change is prepared, and its bytes say what was asked for', async () => {
    const { client, asked } = deployment([]);
    const [step] = reviewChange(await prepareChange(client, intent), intent);
    expect(asked).toEqual(['POST prepare']);
    expect(step).toMatchObject({ problems: [], refusals: [], decoded: { function: 'updateDeviationThreshold' } });
    expect(step?.digest).toBe(keccak256(aCall().data as `0x${string}`));
  });

  test('behavior: other bytes are a problem; what the chain would refuse is a refusal', () => {
    const other = { ...intent, args: { deviation_threshold_bps: 400 } };
    expect(reviewChange([aCall()], other)[0]?.problems).toHaveLength(1);
    const refused = { code: 'ROLE_REQUIRED', ok: false, detail: 'You are not.' };
    const reverting = { ok: false, revert_reason: 'NOT_YOU' };
    const refusalsOf = (parts: Partial<PreparedCall>) => reviewChange([aCall(parts)], intent)[0]?.refusals;
    expect(refusalsOf({ preconditions: [refused], simulation: reverting })).toEqual(['ROLE_REQUIRED: You are not.']);
    expect(refusalsOf({ simulation: reverting })).toEqual(['The simulation reverts: NOT_YOU.']);
  });

  test('default: the contracts of a vault are read with it', async () => {
    const upkeep_info = { token: aggregator };
    const asset = { address: wallet_address };
    const client = { vault: async () => ({ strategy_address: strategy, upkeep_info, asset }) };
    const found = await intentOf(client as never, { chain_id: 31337, vault_address: vault }, change);
    expect(found).toEqual({ ...intent, upkeepToken: aggregator, asset: wallet_address });
  });
});

describe('sending', () => {
  test('default: the call is checked again, sent, reported and followed until it is verified', async () => {
    const tx_hash = `0x${'ab'.repeat(32)}`;
    const { client, wallet, clock, asked, sent } = deployment([
      aResource('prepared'),
      aResource('broadcast', { tx_hash }),
      away(),
      aResource('broadcast', { tx_hash }),
      aResource('mined', { tx_hash }),
      aResource('verified', { tx_hash }),
    ]);
    const seen: Progress[] = [];
    const onProgress = (progress: Progress) => void seen.push(progress);
    const [done] = await sendChange(client, reviewChange([aCall()], intent), { wallet, clock, onProgress });
    expect(done?.status).toBe('verified');
    expect(sent).toEqual([expect.objectContaining({ to: aggregator, value: 0n, data: aCall().data })]);
    expect(asked.slice(0, 2)).toEqual(['GET c1?recheck=true', 'POST broadcast']);
    expect(seen.map(({ state }) => state)).toEqual(['waiting_for_wallet', 'broadcast', 'mined', 'verified']);
  });

  test('behavior: a report that fails for a while is made again: the transaction is on its way', async () => {
    const reads = [aResource('prepared'), aResource('verified')];
    const { client, wallet, clock, asked, sent } = deployment(reads, { reports: [away(), away()] });
    await sendChange(client, reviewChange([aCall()], intent), { wallet, clock });
    expect(asked.filter((one) => one === 'POST broadcast')).toHaveLength(3);
    expect(sent).toHaveLength(1);
  });

  test.each(['failed_post_condition', 'reverted', 'replaced', 'expired'] as const)(
    'error: a call that ends as %s has failed',
    async (status) => {
      const { client, clock } = deployment([aResource(status)]);
      await expect(followCall(client, 'c1', { clock })).rejects.toBeInstanceOf(CallFailed);
    },
  );

  test('error: what will not pass ends the following, and so does an abort', async () => {
    const gone = Response.json({ code: 'PREPARED_NOT_FOUND', detail: 'no' }, { status: 404 });
    const { client, clock } = deployment([gone]);
    await expect(followCall(client, 'c1', { clock })).rejects.toMatchObject({ code: 'PREPARED_NOT_FOUND' });
    const waiting = deployment([aResource('broadcast')]);
    const stopping = new AbortController();
    const onProgress = () => stopping.abort(new Error('enough'));
    const following = followCall(waiting.client, 'c1', { clock, signal: stopping.signal, onProgress });
    await expect(following).rejects.toThrow('enough');
  });
});

describe('security', () => {
  const safe = { wallet_address: address('55'), kind: 'safe' as const, package: null };
  const revert = { ok: false, revert_reason: 'NOT_YOU' };
  test.each<[string, PreparedCall, PreparedResource, number]>([
    ['whose bytes are not what was asked for', aCall({ to: strategy }), aResource('prepared'), 31337],
    ['that a Safe has to send', aCall({ signer: safe }), aResource('prepared'), 31337],
    ['of another wallet', aCall({ signer: { ...safe, kind: 'eoa' } }), aResource('prepared'), 31337],
    ['of another chain', aCall(), aResource('prepared'), 1],
    ['that expired', aCall(), aResource('expired'), 31337],
    ['that was sent before', aCall(), aResource('broadcast'), 31337],
    ['that the chain would refuse now', aCall(), aResource('prepared', { simulation: revert }), 31337],
  ])('security: a call %s is not sent', async (_, call, read, chainId) => {
    const { client, wallet, clock, sent } = deployment([read], { chainId });
    const sending = sendChange(client, reviewChange([call], intent), { wallet, clock });
    await expect(sending).rejects.toBeInstanceOf(CallRefused);
    expect(sent).toEqual([]);
  });
});
