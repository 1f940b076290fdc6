import '../../test/browser.ts';
import type { PreparedCall, PreparedKind } from '@castellan/contracts';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { Suspense, useState } from 'react';
import { numberToHex } from 'viem';
import { anAddress } from '../../test/builders.ts';
import { fakeNode } from '../../test/fake-node.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aRedemption } from '../../test/lists.ts';
import { aPositionOf } from '../../test/position.ts';
import { aPreparedCall, aPreparedResource, callOf, changeOf, primary, vault } from '../../test/prepared.ts';
import { aShown, refusal } from '../../test/shown.ts';
import type { Api } from '../client/api.ts';
import PositionActions from './position-actions.tsx';

const body = { chain_id: 31337, vault_address: vault };
const stepsOf = (kind: PreparedKind): PreparedCall[] => changeOf(kind)[1];

type Options = {
  position?: Parameters<typeof aPositionOf>[1];
  shown?: Parameters<typeof aShown>[0];
  api?: Partial<Record<keyof Api, unknown>>;
};
/** What waits for the wallets of the page is not shown at once. */
const open = ({ position = {}, shown = {}, api = {} }: Options = {}) =>
  act(async () => {
    const page = (
      <Suspense>
        <PositionActions shown={aShown(shown)} position={aPositionOf(primary, position)} />
      </Suspense>
    );
    await renderPage(page, { api: fakeApi(api), address: primary });
  });
const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }));
const enter = async (text: string) => userEvent.type(await screen.findByRole('textbox', { name: /^Amount/ }), text);
const names = async () => {
  await screen.findByRole('button', { name: 'Deposit' });
  return screen.getAllByRole('button').map(({ textContent }) => textContent);
};

/** The wallet has 250.5 of the asset. */
const balance = (raw = 250_500_000n) => fakeNode({ eth_call: () => numberToHex(raw, { size: 32 }) });
beforeEach(() => void balance());

describe('what a wallet can do', () => {
  test('default: deposit and ask; nothing to claim, to take back or to cancel is offered', async () => {
    await open();
    expect(await names()).toEqual(['Deposit', 'Request a redemption']);
  });

  test('behavior: only to deposit for a wallet that has nothing', async () => {
    await open({ position: { shares: '0', free_shares: '0' } });
    expect(await names()).toEqual(['Deposit']);
  });

  test('behavior: what was paid and given back comes first; a request can be joined and cancelled', async () => {
    const position = { claimable_assets: '250000000', returnable_shares: '40000000', request: aRedemption(2) };
    await open({ position });
    expect(await names()).toEqual([
      'Claim 250 USDC',
      'Take 40 cUSDC back',
      'Deposit',
      'Request a redemption',
      'Cancel the request',
    ]);
  });

  test('behavior: a cancelled request stands in the way of another one, and is cancelled once', async () => {
    await open({ position: { request: aRedemption(2, { state: 'cancelling' }) } });
    expect(await names()).toEqual(['Deposit']);
  });

  test.each([
    ['paused', { is_paused: true }, /^The vault is paused/],
    ['without a price', { is_pps_stale: true }, /^The vault waits for its next price/],
    ['with an expired price', { pps_status: 'expired' as const }, /^The vault waits for its next price/],
  ])('behavior: a vault that is %s takes nothing, and still pays claims', async (_, shown, words) => {
    await open({ shown, position: { claimable_assets: '250000000', request: aRedemption(1) } });
    expect(await screen.findByText(words)).toBeTruthy();
    for (const [name, isOff] of [
      ['Deposit', true],
      ['Request a redemption', true],
      ['Claim 250 USDC', false],
      ['Cancel the request', false],
    ] as const)
      expect([name, screen.getByRole('button', { name }).hasAttribute('disabled')]).toEqual([name, isOff]);
  });

  test('behavior: an amount that was typed stays while the vault waits for its price, and cannot be prepared', async () => {
    let change: (parts: Parameters<typeof aShown>[0]) => void = () => undefined;
    function Page() {
      const [parts, setParts] = useState<Parameters<typeof aShown>[0]>({});
      change = setParts;
      return (
        <Suspense>
          <PositionActions shown={aShown(parts)} position={aPositionOf(primary)} />
        </Suspense>
      );
    }
    await act(async () => {
      await renderPage(<Page />, { api: fakeApi({}), address: primary });
    });
    await press('Deposit');
    await enter('12.5');
    act(() => change({ is_pps_stale: true }));
    const submit = screen.getByRole('button', { name: 'Prepare deposit' });
    expect(submit.hasAttribute('disabled')).toBe(true);
    expect(screen.getByText(/^The vault waits for its next price/)).toBeTruthy();
    act(() => change({}));
    expect(submit.hasAttribute('disabled')).toBe(false);
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: /^Amount/ }).value).toBe('12.5');
  });

  test.each(['Deposit', 'Request a redemption'])('behavior: the form of %s is closed again', async (name) => {
    await open();
    await press(name);
    await enter('12.5');
    await press('Cancel');
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(document.activeElement?.textContent).toBe(name);
    await press(name);
    expect((await screen.findByRole<HTMLInputElement>('textbox', { name: /^Amount/ })).value).toBe('');
  });

  test('behavior: a wallet on another network is asked to switch', async () => {
    await open({ shown: { chain_id: 1 } });
    expect(await screen.findByText('Your wallet is on another network (chain 31337)')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Switch to chain 1' })).toBeTruthy();
  });
});

describe('a deposit', () => {
  test('default: is prepared to the last base unit, approved exactly, reviewed here and sent in two steps', async () => {
    const hash = `0x${'cd'.repeat(32)}`;
    const node = fakeNode({
      eth_call: () => numberToHex(250_500_000n, { size: 32 }),
      eth_sendTransaction: () => hash,
    });
    const steps = stepsOf('deposit');
    const prepareDeposit = jest.fn(async (_: unknown) => ({ steps }));
    const getPrepared = async ({ params }: { params: { id: string } }) =>
      params.id === 'prepared-2'
        ? aPreparedResource({ ...steps[1], kind: 'deposit' })
        : aPreparedResource({ ...steps[0], kind: 'deposit', status: 'verified' });
    const transaction = async () => ({ status: 'mined', block_number: 7, indexed: true, revert_reason: null });
    const broadcastPrepared = async () => aPreparedResource({ status: 'broadcast' });
    await open({ api: { prepareDeposit, getPrepared, transaction, broadcastPrepared } });
    await press('Deposit');
    expect(await screen.findByText('Your wallet has 250.5 USDC.')).toBeTruthy();
    await enter('250');
    await press('Prepare deposit');
    const dialog = within(await screen.findByRole('dialog'));
    expect(await dialog.findByText(`Lets ${vault} take 250 USDC from your wallet.`)).toBeTruthy();
    expect(prepareDeposit.mock.calls[0]?.[0]).toEqual({ body: { ...body, assets: '250000000' } });
    expect(dialog.queryByRole('button', { name: 'Copy review link' })).toBeNull();
    await userEvent.click(dialog.getByRole('button', { name: 'Sign and send' }));
    expect(await dialog.findByText(`Deposits 250 USDC. The shares go to ${primary}.`)).toBeTruthy();
    await userEvent.click(dialog.getByRole('button', { name: 'Sign and send' }));
    await waitFor(() => expect(node.asked('eth_sendTransaction')).toHaveLength(2));
    expect(node.asked('eth_sendTransaction').map(({ params }) => params?.[0])).toMatchObject(
      steps.map(({ to, data }) => ({ to, data })),
    );
  });

  test.each([
    ['0', 'Enter more than zero.'],
    ['1.0000001', 'The token has 6 decimals, you entered 7.'],
    ['250.500001', 'Your wallet has 250.5 USDC.'],
    ['1,5', 'Enter digits, with a point before decimals and no separators.'],
  ])('error: %s is refused where it was typed, and nothing is prepared', async (text, words) => {
    const prepareDeposit = jest.fn();
    await open({ api: { prepareDeposit } });
    await press('Deposit');
    await screen.findByText('Your wallet has 250.5 USDC.');
    await enter(text);
    await press('Prepare deposit');
    expect(await screen.findByText(words)).toBeTruthy();
    expect(prepareDeposit).not.toHaveBeenCalled();
  });

  test('behavior: Max is every base unit of the wallet', async () => {
    await open();
    await press('Deposit');
    await press('Max, all that the wallet has');
    expect((screen.getByRole('textbox', { name: 'Amount, USDC' }) as HTMLInputElement).value).toBe('250.5');
  });

  test('security: a server that would deposit for another wallet, or to another one, is not signed', async () => {
    const [, deposit = aPreparedCall()] = stepsOf('deposit');
    const other = anAddress(0x66);
    const args = { assets: 250_000_000n, receiver: other };
    const forged = { ...deposit, ...callOf('deposit', args), signer: { ...deposit.signer, wallet_address: other } };
    await open({ api: { prepareDeposit: async () => ({ steps: [forged] }) } });
    await press('Deposit');
    await enter('250');
    await press('Prepare deposit');
    expect(await screen.findByText(/Do not sign this/)).toBeTruthy();
    expect(screen.getByText('The call is to be sent by another wallet than yours.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Sign and send' }).hasAttribute('disabled')).toBe(true);
  });

  test('error: what the chain would refuse is said in words that are not for managers', async () => {
    const prepareDeposit = () => Promise.reject(refusal('STRATEGY_PAUSED', 422));
    await open({ api: { prepareDeposit } });
    await press('Deposit');
    await enter('1');
    await press('Prepare deposit');
    expect(await screen.findByText('The vault is paused')).toBeTruthy();
    expect(screen.getByText(/^It opens again once a manager releases the vault/)).toBeTruthy();
  });
});

describe('the other calls', () => {
  test('default: a request is for shares, at most those that are free', async () => {
    const prepareRequestRedemption = jest.fn(async (_: unknown) => stepsOf('request_redemption')[0]);
    await open({ position: { free_shares: '40000000' }, api: { prepareRequestRedemption } });
    await press('Request a redemption');
    await enter('40.000001');
    await press('Prepare request');
    expect(await screen.findByText('Your wallet has 40 cUSDC.')).toBeTruthy();
    await userEvent.clear(screen.getByRole('textbox', { name: 'Amount, cUSDC' }));
    await enter('40');
    await press('Prepare request');
    expect(await screen.findByText(`Asks the vault to redeem 40 cUSDC of ${primary}.`)).toBeTruthy();
    expect(prepareRequestRedemption.mock.calls).toEqual([[{ body: { ...body, shares: '40000000' } }]]);
  });

  test.each<[string, PreparedKind, keyof Api, string]>([
    ['Cancel the request', 'cancel_redemption', 'prepareCancelRedemption', 'Cancels the request to redeem of'],
    ['Claim 250 USDC', 'claim_redemption', 'prepareClaimRedemption', 'Claims 250 USDC that the vault paid, to'],
    [
      'Take 40 cUSDC back',
      'claim_cancelled_shares',
      'prepareClaimCancelledShares',
      'Takes the shares of a cancelled request back, to',
    ],
  ])('default: %s is one press before the review', async (name, kind, method, words) => {
    const prepare = jest.fn(async (_: unknown) => stepsOf(kind)[0]);
    const position = { claimable_assets: '250000000', returnable_shares: '40000000', request: aRedemption(2) };
    await open({ position, api: { [method]: prepare } });
    await press(name);
    expect(await screen.findByText(`${words} ${primary}.`)).toBeTruthy();
    expect(prepare.mock.calls).toEqual([[{ body }]]);
    expect(screen.getByRole('button', { name: 'Sign and send' }).hasAttribute('disabled')).toBe(false);
  });
});
