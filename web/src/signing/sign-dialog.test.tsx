import '../../test/browser.ts';
import type { PreparedCall, PreparedResource } from '@castellan/contracts';
import type { Intent } from '@castellan/sdk/calls';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { anAddress } from '../../test/builders.ts';
import { fakeNode } from '../../test/fake-node.ts';
import { config, fakeApi, renderPage } from '../../test/harness.tsx';
import {
  anIntent,
  aPreparedCall,
  aPreparedResource,
  callOf,
  changeOf,
  manager,
  primary,
  strategy,
} from '../../test/prepared.ts';
import { anUpdate, aStream } from '../../test/stream.ts';
import type { Api } from '../client/api.ts';
import { HEAL_MS } from '../data/queries.ts';
import { LiveModeContext, useVaultLive } from '../data/use-live.ts';
import { digestsOf, digestsOfCalldata, type TypedData } from '../digests/digests.ts';
import { SignDialog } from './sign-dialog.tsx';

const add = anIntent({ kind: 'add_secondary_manager', args: { manager_address: manager } });
const hash = `0x${'cd'.repeat(32)}`;
const problem = (status: number, code: string, detail: string) =>
  Object.assign(new Error(detail), { status, code, detail, request_id: 'r1' });
const aTransaction = (parts = {}) => ({
  status: 'mined',
  block_number: 7,
  indexed: true,
  revert_reason: null,
  ...parts,
});

/** A page that follows its vault, as each page does that opens the dialog. */
function Page({ children }: { children: ReactNode }) {
  const { mode } = useVaultLive('viewer', add.chainId, add.vault);
  return <LiveModeContext value={mode}>{children}</LiveModeContext>;
}

type Options = {
  intent?: Intent;
  prepare?: () => Promise<readonly PreparedCall[]>;
  api?: Partial<Record<keyof Api, unknown>>;
  address?: string;
};
async function open(
  calls: readonly PreparedCall[],
  { intent = add, prepare, api = {}, address = primary }: Options = {},
) {
  const [chain] = config.chains;
  if (chain === undefined) throw new Error('no chain');
  const onDone = jest.fn();
  const page = await renderPage(
    <Page>
      <SignDialog
        title="A change"
        intent={intent}
        chain={chain}
        units={{ upkeep: { decimals: 18, symbol: 'UP' } }}
        prepare={prepare ?? (async () => calls)}
        onDone={onDone}
        onClose={jest.fn()}
      />
    </Page>,
    { api: fakeApi({ followVault: () => Promise.reject(new Error('no stream here')), ...api }), address },
  );
  return { ...page, onDone };
}
const signButton = () => screen.findByRole('button', { name: 'Sign and send' });
const isBlocked = async () => (await signButton()).hasAttribute('disabled');

describe('before signing', () => {
  test('default: decoded, simulated and matching, it can be signed; all that backs it is shown', async () => {
    const call = aPreparedCall({
      preconditions: [{ code: 'ZERO_ADDRESS', ok: true, detail: 'The wallet is not the zero address.' }],
      changes: [{ field: 'performance_fee_bps', before: 1500, after: 2000 }],
    });
    await open([call]);
    expect(await isBlocked()).toBe(false);
    expect(screen.getByText(call.data)).toBeTruthy();
    expect(screen.getByText('addSecondaryManager')).toBeTruthy();
    expect(screen.getByText(`Makes ${manager} a secondary manager.`)).toBeTruthy();
    expect(screen.getByText('The wallet is not the zero address.')).toBeTruthy();
    expect(screen.getByRole('row', { name: 'Performance fee 15.00% 20.00%' })).toBeTruthy();
    for (const { label, value } of digestsOfCalldata(call.data as `0x${string}`)) {
      expect(screen.getByText(label).nextElementSibling?.textContent).toContain(value);
    }
  });

  test('behavior: calldata for another wallet cannot be signed', async () => {
    await open([aPreparedCall(callOf('addSecondaryManager', { strategy, manager: anAddress(0x21) }))]);
    expect(await isBlocked()).toBe(true);
    expect(screen.getByText(/Do not sign this/)).toBeTruthy();
  });

  test('behavior: a call whose simulation fails cannot be signed', async () => {
    await open([aPreparedCall({ simulation: { ok: false, revert_reason: 'TOO_MANY_SECONDARY_MANAGERS' } })]);
    expect(await isBlocked()).toBe(true);
    expect(screen.getByText(/TOO_MANY_SECONDARY_MANAGERS/)).toBeTruthy();
  });

  test('behavior: a session that ends keeps the prepared call and blocks signing', async () => {
    const { session } = await open([aPreparedCall()]);
    await signButton();
    act(() => session.end('unauthorized'));
    expect(await screen.findByText(/What you prepared stays/)).toBeTruthy();
    expect(await isBlocked()).toBe(true);
  });

  test('behavior: a session that ended inside the dialog offers to sign in there, and the call is prepared after that', async () => {
    const prepare = jest
      .fn<() => Promise<PreparedCall[]>>()
      .mockRejectedValueOnce(
        problem(401, 'TOKEN_MISSING', 'A bearer token is required. Send the token in the Authorization header.'),
      )
      .mockResolvedValue([aPreparedCall()]);
    const { session } = await open([], { prepare });
    act(() => session.end('unauthorized'));
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('Your session ended');
    expect(alert.textContent).not.toContain('bearer');
    expect(screen.getByRole('dialog').contains(screen.getByRole('button', { name: 'Sign in again' }))).toBe(true);
    expect(prepare).toHaveBeenCalledTimes(1);
    act(() => session.begin({ token: 'fresh', address: primary, isManager: true, vaults: [] }));
    expect(await isBlocked()).toBe(false);
    expect(prepare).toHaveBeenCalledTimes(2);
  });

  test('behavior: a call that has expired cannot be signed and is prepared again', async () => {
    const prepare = jest
      .fn<() => Promise<PreparedCall[]>>()
      .mockResolvedValueOnce([aPreparedCall({ expires_at: '2020-01-01T00:00:00Z' })])
      .mockResolvedValue([aPreparedCall({ id: 'prepared-again' })]);
    await open([], { prepare });
    await userEvent.click(await screen.findByRole('button', { name: 'Prepare it again' }));
    expect(await isBlocked()).toBe(false);
  });

  test('behavior: the call of another wallet cannot be signed by this one', async () => {
    await open([aPreparedCall()], { address: anAddress(0x11) });
    expect(await screen.findByText(/has to come from/)).toBeTruthy();
    expect(await isBlocked()).toBe(true);
  });
});

describe('refusals', () => {
  test('error: what the chain would refuse is named, with the way on and the request', async () => {
    const refuse = async () => {
      throw problem(422, 'NOTHING_TO_SKIM', 'The price is 1.04 and the mark 1.05.');
    };
    await open([], { prepare: refuse });
    expect(await screen.findByText('The price is not above the high-water mark')).toBeTruthy();
    expect(screen.getByText('The price is 1.04 and the mark 1.05.')).toBeTruthy();
    expect(screen.getByText(/A fee is due once/)).toBeTruthy();
    expect(screen.getByText('r1')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Sign and send' })).toBeNull();
  });

  test('behavior: a recent signature is asked for in place, and the call is prepared under the new token', async () => {
    const node = fakeNode({ eth_signTypedData_v4: () => '0x01' });
    const nonce = {
      typed_data: {
        domain: { name: 'Castellan', version: '1', chainId: 31337 },
        types: { Authentication: [{ name: 'nonce', type: 'string' }] },
        primaryType: 'Authentication',
        message: { nonce: 'n' },
      },
    };
    const stepUp = jest.fn(async (_: unknown) => {
      const [request] = node.asked('eth_signTypedData_v4');
      // What a device would show of the very data that the wallet was given.
      for (const { label, value } of digestsOf(JSON.parse(String(request?.params?.[1])) as TypedData))
        expect((await screen.findByText(label)).nextElementSibling?.textContent).toContain(value);
      return { access_token: 'fresh', wallet_address: primary };
    });
    const prepare = jest
      .fn<() => Promise<PreparedCall[]>>()
      .mockRejectedValueOnce(problem(403, 'STEP_UP_REQUIRED', 'Sign again.'))
      .mockResolvedValue([aPreparedCall()]);
    const { session } = await open([], { prepare, api: { createNonce: async () => nonce, stepUp } });
    expect(await screen.findByText(/no transaction, no gas/)).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Sign the message' }));
    expect(await isBlocked()).toBe(false);
    expect(node.asked('eth_signTypedData_v4')).toHaveLength(1);
    expect(stepUp.mock.calls[0]?.[0]).toMatchObject({ body: { method: 'eip712', signature: '0x01' } });
    expect(session.get()).toMatchObject({ token: 'fresh', address: primary });
    expect(prepare).toHaveBeenCalledTimes(2);
  });
});

describe('after signing', () => {
  const answers = (states: Partial<PreparedResource>[], transaction = aTransaction()) => {
    const getPrepared = jest.fn(async (_: unknown) =>
      aPreparedResource(states.length > 1 ? states.shift() : states[0]),
    );
    const broadcastPrepared = jest.fn(async (_: unknown) => aPreparedResource({ status: 'broadcast' }));
    return { getPrepared, broadcastPrepared, transaction: async () => transaction };
  };

  test('default: the server learns which transaction carries the call, and its verdict is followed', async () => {
    const node = fakeNode({ eth_sendTransaction: () => hash });
    const api = answers([{ status: 'mined' }, { status: 'verified' }]);
    const { onDone } = await open([aPreparedCall()], { api });
    await userEvent.click(await signButton());
    expect(await screen.findByText(/Verified: The wallet is a secondary manager/)).toBeTruthy();
    expect(screen.getByText('Mined in block 7')).toBeTruthy();
    expect(api.broadcastPrepared).toHaveBeenCalledWith({ params: { id: 'prepared-1' }, body: { tx_hash: hash } });
    const [request] = node.asked('eth_sendTransaction');
    expect(request?.params).toMatchObject([{ data: aPreparedCall().data, to: aPreparedCall().to }]);
    expect(onDone).toHaveBeenCalled();
    expect(screen.getByRole('button', { name: 'Done' })).toBeTruthy();
    expect(api.broadcastPrepared).toHaveBeenCalledTimes(1);
  });

  test('behavior: while the stream is open, both are read again at its events, and not between them', async () => {
    fakeNode({ eth_sendTransaction: () => hash });
    const pending = { status: 'pending', block_number: null, indexed: false };
    const transaction = jest.fn(async () => aTransaction(pending));
    const { followVault, follow } = aStream();
    const api = { ...answers([{ status: 'broadcast' }, { status: 'mined' }, { status: 'verified' }]), transaction };
    const { queries } = await open([aPreparedCall()], { api: { ...api, followVault } });
    await userEvent.click(await signButton());
    await waitFor(() => expect(api.getPrepared).toHaveBeenCalledTimes(1));
    const reads = queries.getQueryCache().findAll({ queryKey: ['sent-calls'], type: 'active' });
    const intervals = reads.flatMap(({ observers }) => observers.map(({ options }) => options.refetchInterval));
    expect(intervals).toEqual([HEAL_MS, HEAL_MS]);

    const { onEvent } = await follow;
    transaction.mockImplementation(async () => aTransaction());
    act(() => onEvent(anUpdate('call')));
    expect(await screen.findByText('Mined in block 7')).toBeTruthy();
    act(() => onEvent(anUpdate('call')));
    expect(await screen.findByText(/Verified/)).toBeTruthy();
    const times = [api.getPrepared.mock.calls.length, transaction.mock.calls.length];
    act(() => onEvent(anUpdate('call')));
    expect([api.getPrepared.mock.calls.length, transaction.mock.calls.length]).toEqual(times);
    expect(times).toEqual([3, 2]);
  });

  test('behavior: a server that does not take the hash is said so and stops nothing', async () => {
    fakeNode({ eth_sendTransaction: () => hash });
    const refuse = async () => {
      throw problem(422, 'TRANSACTION_MISMATCH', 'It carries another call.');
    };
    const { onDone } = await open([aPreparedCall()], {
      api: { broadcastPrepared: refuse, transaction: async () => aTransaction() },
    });
    await userEvent.click(await signButton());
    expect(await screen.findByText(/The server does not follow this transaction/)).toBeTruthy();
    expect(await screen.findByText('Mined in block 7')).toBeTruthy();
    await waitFor(() => expect(onDone).toHaveBeenCalled());
    expect(screen.getByRole('button', { name: 'Report it again' })).toBeTruthy();
  });

  test.each<[string, Partial<PreparedResource>, object, RegExp]>([
    [
      'reverted',
      { status: 'reverted', revert_reason: 'NO_PROPOSAL' },
      { status: 'reverted' },
      /refused it: NO_PROPOSAL/,
    ],
    ['replaced', { status: 'replaced' }, { status: 'replaced' }, /Another transaction took its place/],
    [
      'failed_post_condition',
      {
        status: 'failed_post_condition',
        post_condition: { description: 'the wallet is a manager', ok: false, actual: 'not a manager' },
      },
      {},
      /The chain says: not a manager/,
    ],
  ])('behavior: %s is said plainly', async (_, state, transaction, words) => {
    fakeNode({ eth_sendTransaction: () => hash });
    await open([aPreparedCall()], { api: answers([state], aTransaction(transaction)) });
    await userEvent.click(await signButton());
    expect(await screen.findByText(words)).toBeTruthy();
    expect(await screen.findByRole('button', { name: 'Done' })).toBeTruthy();
  });

  test('behavior: a second step is simulated again once the first is mined, and only then offered', async () => {
    fakeNode({ eth_sendTransaction: () => hash });
    const [intent, [approve, deposit]] = changeOf('deposit_upkeep');
    if (!approve || !deposit) throw new Error('two steps');
    const early = { ok: false, revert_reason: 'ERC20InsufficientAllowance' };
    const getPrepared = jest.fn(async ({ params }: { params: { id: string }; query: object }) =>
      params.id === 'prepared-2' ? aPreparedResource(deposit) : aPreparedResource({ ...approve, status: 'verified' }),
    );
    const api = { ...answers([]), getPrepared };
    await open([approve, { ...deposit, simulation: early }], { intent, api });
    expect(await screen.findByText('Step 1 of 2')).toBeTruthy();
    await userEvent.click(await signButton());
    expect(await screen.findByText('Step 2 of 2')).toBeTruthy();
    expect(await screen.findByText('Pays 5 UP into the upkeep of the vault.')).toBeTruthy();
    expect(await isBlocked()).toBe(false);
    expect(getPrepared).toHaveBeenCalledWith({ params: { id: 'prepared-2' }, query: { recheck: 'true' } });
  });

  test('behavior: a second step that comes back as another call is blocked', async () => {
    fakeNode({ eth_sendTransaction: () => hash });
    const [intent, [approve, deposit]] = changeOf('deposit_upkeep');
    if (!approve || !deposit) throw new Error('two steps');
    const other = { ...deposit, ...callOf('depositUpkeep', { strategy, amount: 6_000_000_000_000_000_000n }) };
    const api = { ...answers([]), getPrepared: async () => aPreparedResource(other) };
    await open([approve, deposit], { intent, api });
    await userEvent.click(await signButton());
    expect(await screen.findByText(/Do not sign this/)).toBeTruthy();
    expect(await isBlocked()).toBe(true);
  });

  describe('by a wallet that is a contract', () => {
    const signer = { wallet_address: primary, kind: 'contract' as const, package: null };
    const proposal = `0x${'ab'.repeat(32)}`;
    const unknown = aTransaction({ status: 'unknown', block_number: null, indexed: false });
    afterEach(() => sessionStorage.clear());

    test('default: what it proposes is not reported as a transaction; the one that executes it is', async () => {
      fakeNode({ eth_sendTransaction: () => proposal });
      const api = { ...answers([{ status: 'verified' }]), transaction: jest.fn(async () => unknown) };
      await open([aPreparedCall({ signer })], { api });
      await userEvent.click(await signButton());
      expect(await screen.findByText(/not on the chain yet/)).toBeTruthy();
      await waitFor(() => expect(api.transaction).toHaveBeenCalled());
      expect(api.broadcastPrepared).not.toHaveBeenCalled();
      expect(screen.queryByRole('region', { name: 'Transaction progress' })).toBeNull();
      api.transaction.mockImplementation(async () => aTransaction());
      await userEvent.type(screen.getByRole('textbox', { name: /Transaction hash/ }), `${hash}{enter}`);
      expect(await screen.findByText(/Verified/)).toBeTruthy();
      expect(api.broadcastPrepared.mock.calls).toEqual([[{ params: { id: 'prepared-1' }, body: { tx_hash: hash } }]]);
    });

    test('behavior: as a Safe app, the page learns from the Safe which transaction executed it', async () => {
      const receipt = { transactionHash: proposal, logs: [{ transactionHash: hash }] };
      fakeNode({ eth_sendTransaction: () => proposal, eth_getTransactionReceipt: () => receipt });
      const api = answers([{ status: 'verified' }]);
      const { wallets } = await open([aPreparedCall({ signer })], { api });
      Object.assign(wallets.connectors[0] ?? {}, { type: 'safe' });
      await userEvent.click(await signButton());
      expect(await screen.findByText(/Verified/)).toBeTruthy();
      expect(api.broadcastPrepared.mock.calls).toEqual([[{ params: { id: 'prepared-1' }, body: { tx_hash: hash } }]]);
    });

    test('behavior: a hash that the chain knows as a transaction is followed as one', async () => {
      fakeNode({ eth_sendTransaction: () => hash });
      const api = answers([{ status: 'verified' }]);
      await open([aPreparedCall({ signer })], { api });
      await userEvent.click(await signButton());
      expect(await screen.findByText(/Verified/)).toBeTruthy();
      expect(api.broadcastPrepared).toHaveBeenCalledWith({ params: { id: 'prepared-1' }, body: { tx_hash: hash } });
    });
  });

  test('behavior: a call of a contract is followed by the hash of what it sent', async () => {
    const signer = { wallet_address: anAddress(0x50), kind: 'contract' as const, package: null };
    const api = answers([{ status: 'verified' }]);
    await open([aPreparedCall({ signer })], { api });
    const field = await screen.findByRole('textbox', { name: 'Transaction hash, once it was sent' });
    expect(screen.queryByRole('button', { name: 'Sign and send' })).toBeNull();
    await userEvent.type(field, '0x12{enter}');
    expect(screen.getByText(/64 hexadecimal digits/)).toBeTruthy();
    await userEvent.clear(field);
    await userEvent.type(field, `${hash}{enter}`);
    expect(await screen.findByText(/Verified/)).toBeTruthy();
    expect(api.broadcastPrepared).toHaveBeenCalledWith({ params: { id: 'prepared-1' }, body: { tx_hash: hash } });
  });
});
