import { AppError, type Caller, type InputOf, type ReadTogether, type Route, routes } from '@castellan/contracts';
import { type CallAction, etagOf } from '@castellan/service-kit';
import { beforeEach, expect, test } from '@jest/globals';
import { createReadsTogether, type ReadsTogether } from './read-together.ts';

type Reads = InputOf<typeof ReadTogether>['reads'];

const vault = { chain_id: 1, vault_address: '0x00000000000000000000000000000000000000A1' };
const another = { chain_id: 1, vault_address: '0x00000000000000000000000000000000000000A2' };
const first = '0x00000000000000000000000000000000000000C1';
const second = '0x00000000000000000000000000000000000000C2';
const page = { detail: 'full', limit: 100 };
const of = (wallet_address: string, parts: Partial<Caller> = {}): Caller => ({
  wallet_address,
  sid: 's',
  issuer: 'i',
  ...parts,
});

let calls: Reads[];
let outcomes: string[];
/** What the service says to a wallet about a vault or its own ones; null where it has to be asked by itself. */
let textFor: (wallet: string, read: string) => string | null;
let together: ReadsTogether;
beforeEach(() => {
  calls = [];
  outcomes = [];
  textFor = () => '{"my_role":"primary_manager"}';
  together = gatewayWith(callAction);
});
const callAction = (async (_action: unknown, { reads }: { reads: Reads }) => {
  calls.push(reads);
  return {
    answers: reads.map(({ read, wallet_address, known }) => {
      const text = textFor(wallet_address, read);
      if (text === null) return null;
      const etag = etagOf(text);
      return { etag, body: known.includes(etag) ? null : text, block_number: read === 'detail' ? 7 : null };
    }),
  };
}) as unknown as CallAction;
const gatewayWith = (call: CallAction, maxBytes = 100_000) =>
  createReadsTogether({ callAction: call, maxBytes, count: (outcome) => outcomes.push(outcome) });

const detail = async (caller: Caller | undefined, params: object = vault) =>
  String((await together(routes.vault as unknown as Route, params, caller))?.bytes);
const list = async (caller: Caller | undefined, params: object = page) =>
  String((await together(routes.myVaults as unknown as Route, params, caller))?.bytes);

test('default: those who ask in one turn share one call, in which the same is asked once', async () => {
  textFor = (wallet, read) => `"${read} of ${wallet}"`;
  const answers = await Promise.all([detail(of(first)), list(of(first)), detail(of(second)), detail(of(first))]);
  expect(answers).toEqual([
    `"detail of ${first}"`,
    `"list of ${first}"`,
    `"detail of ${second}"`,
    `"detail of ${first}"`,
  ]);
  expect(calls.map((reads) => reads.map(({ read, wallet_address }) => [read, wallet_address]))).toEqual([
    [
      ['detail', first],
      ['list', first],
      ['detail', second],
    ],
  ]);
});

test('behavior: the service is asked each time, and sends an answer once for all with the same role', async () => {
  const found = await together(routes.vault as unknown as Route, vault, of(first));
  expect(found).toMatchObject({ etag: etagOf('{"my_role":"primary_manager"}'), block_number: 7 });
  expect([await detail(of(second)), await detail(of(first))]).toEqual([String(found?.bytes), String(found?.bytes)]);
  expect([calls.length, outcomes]).toEqual([3, ['sent', 'held', 'held']]);
});

test('behavior: a role that has ended, and a detail that has changed, are seen by the next read', async () => {
  await detail(of(first));
  textFor = (wallet) => (wallet === first ? '{"my_role":null}' : '{"my_role":"primary_manager"}');
  expect([await detail(of(first)), await detail(of(second))]).toEqual([
    '{"my_role":null}',
    '{"my_role":"primary_manager"}',
  ]);
  textFor = () => '{"my_role":null,"block_number":8}';
  expect(await detail(of(second))).toBe('{"my_role":null,"block_number":8}');
});

test('behavior: what one wallet is sent is never offered as known for the list of another, or for other arguments', async () => {
  await list(of(first));
  await list(of(second));
  await list(of(first), { ...page, limit: 1 });
  await detail(of(first));
  await detail(of(first), another);
  expect(calls.flat().map(({ known }) => known)).toEqual([[], [], [], [], []]);
});

test('behavior: an answer that is held no more is sent again', async () => {
  together = gatewayWith(callAction, 600);
  await detail(of(first));
  await detail(of(first), another);
  expect(await detail(of(first))).toBe('{"my_role":"primary_manager"}');
  expect(outcomes).toEqual(['sent', 'sent', 'sent']);
});

test('behavior: of a vault no more answers are held than there are roles', async () => {
  for (const nth of [1, 2, 3, 4, 5, 6]) {
    textFor = () => String(nth);
    await detail(of(first));
  }
  expect(calls.at(-1)?.[0]?.known).toEqual(['5', '4', '3', '2'].map(etagOf));
});

test('error: the public, a token for one vault and any other route are asked by themselves', async () => {
  expect(await detail(undefined)).toBe('undefined');
  expect(await detail(of(first, { vault }))).toBe('undefined');
  expect(await together(routes.me as unknown as Route, {}, of(first))).toBeUndefined();
  expect(calls).toEqual([]);
});

test('error: what is wrong with one read is asked by itself and takes no other with it', async () => {
  textFor = (wallet) => (wallet === first ? null : '1');
  expect(await Promise.all([detail(of(first)), detail(of(second))])).toEqual(['undefined', '1']);
});

test('error: a service that does not know the action is asked one by one, any other fault is answered', async () => {
  const fails = (cause: unknown) =>
    gatewayWith((async () => {
      throw new AppError('SERVICE_UNAVAILABLE', 'A part of the system does not answer.', { cause });
    }) as unknown as CallAction);
  together = fails({ type: 'SERVICE_NOT_FOUND' });
  expect(await detail(of(first))).toBe('undefined');
  together = fails({ type: 'REQUEST_TIMEOUT' });
  await expect(detail(of(first))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('error: for a token bound to a vault, and for a contract of one chain, nothing is asked by the wallet alone', async () => {
  for (const parts of [{ vault }, { chain_id: 1 }])
    for (const asked of [detail, list]) expect(await asked(of(first, parts))).toBe('undefined');
  expect(calls).toEqual([]);
});
