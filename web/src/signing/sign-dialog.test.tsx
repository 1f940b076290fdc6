import '../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { act, screen } from '@testing-library/react';
import { encodeFunctionData, parseAbi } from 'viem';
import { anAddress } from '../../test/builders.ts';
import { config, renderPage } from '../../test/harness.tsx';
import type { PreparedCall } from '../data/queries.ts';
import { checkCall, type Intent } from './check-call.ts';
import { SignDialog } from './sign-dialog.tsx';

const abi = parseAbi([
  'function addSecondaryManager(address strategy, address manager)',
  'function removeSecondaryManager(address strategy, address manager)',
]);
const [strategy, manager, other] = [anAddress(2), anAddress(0x20), anAddress(0x21)];
const intent: Intent = { function: 'addSecondaryManager', chainId: 31337, strategy, manager };
const dataOf = (functionName: Intent['function'], args: [string, string]) =>
  encodeFunctionData({ abi, functionName, args: args as [`0x${string}`, `0x${string}`] });

const aCall = (parts: Partial<PreparedCall> = {}): PreparedCall => ({
  to: anAddress(7),
  data: dataOf('addSecondaryManager', [strategy, manager]),
  value: '0',
  chain_id: 31337,
  description: 'Add a wallet.',
  decoded: { function: 'addSecondaryManager', args: { strategy, manager } },
  simulation: { ok: true, revert_reason: null },
  ...parts,
});

describe('checkCall', () => {
  test('default: a call that is what was asked for has no problem', () => {
    expect(checkCall(aCall(), intent)).toEqual({
      decoded: {
        function: 'addSecondaryManager',
        args: [
          { name: 'strategy', value: strategy },
          { name: 'manager', value: manager },
        ],
      },
      problems: [],
    });
  });

  test.each<[string, Partial<PreparedCall>]>([
    ['another wallet', { data: dataOf('addSecondaryManager', [strategy, other]) }],
    ['another vault', { data: dataOf('addSecondaryManager', [other, manager]) }],
    ['another function', { data: dataOf('removeSecondaryManager', [strategy, manager]) }],
    ['a function this page does not know', { data: '0x12345678' }],
    ['bytes after the arguments', { data: `${dataOf('addSecondaryManager', [strategy, manager])}00` }],
    ['another chain', { chain_id: 1 }],
    ['native currency', { value: '1' }],
    [
      'a description of another wallet',
      { decoded: { function: 'addSecondaryManager', args: { strategy, manager: other } } },
    ],
    ['a description of another function', { decoded: { function: 'pause', args: { strategy, manager } } }],
  ])('behavior: %s is a problem', (_, parts) => {
    expect(checkCall(aCall(parts), intent).problems).not.toEqual([]);
  });
});

describe('sign dialog', () => {
  const open = (call: PreparedCall) => {
    const [chain] = config.chains;
    if (chain === undefined) throw new Error('no chain');
    return renderPage(
      <SignDialog
        title="Add a secondary manager"
        intent={intent}
        chain={chain}
        prepare={async () => call}
        onIndexed={jest.fn()}
        onClose={jest.fn()}
      />,
      { address: anAddress(0x10) },
    );
  };
  const signButton = () => screen.findByRole('button', { name: 'Sign and send' });

  test('default: decoded, simulated and matching, it can be signed; the raw calldata is shown beside it', async () => {
    await open(aCall());
    expect((await signButton()).hasAttribute('disabled')).toBe(false);
    expect(screen.getByText(aCall().data)).toBeTruthy();
    expect(screen.getByText('addSecondaryManager')).toBeTruthy();
  });

  test('behavior: calldata for another wallet cannot be signed', async () => {
    await open(aCall({ data: dataOf('addSecondaryManager', [strategy, other]) }));
    expect((await signButton()).hasAttribute('disabled')).toBe(true);
    expect(screen.getByText(/Do not sign this/)).toBeTruthy();
  });

  test('behavior: a call whose simulation fails cannot be signed', async () => {
    await open(aCall({ simulation: { ok: false, revert_reason: 'TOO_MANY_SECONDARY_MANAGERS' } }));
    expect((await signButton()).hasAttribute('disabled')).toBe(true);
    expect(screen.getByText(/TOO_MANY_SECONDARY_MANAGERS/)).toBeTruthy();
  });

  test('behavior: a session that ends keeps the prepared call and blocks signing', async () => {
    const { session } = await open(aCall());
    await signButton();
    act(() => session.end('unauthorized'));
    expect(await screen.findByText(/What you prepared stays/)).toBeTruthy();
    expect((await signButton()).hasAttribute('disabled')).toBe(true);
  });
});
