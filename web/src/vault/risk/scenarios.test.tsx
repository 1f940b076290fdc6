import '../../../test/browser.ts';
import { routes, usualShocks } from '@castellan/contracts';
import { expect, jest, test } from '@jest/globals';
import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { anAddress } from '../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../test/harness.tsx';
import { aShown } from '../../../test/shown.ts';
import { hasUnsaved } from '../../../test/unsaved.ts';
import { Scenarios } from './scenarios.tsx';

const aTable = (shocks: string) =>
  routes.analyticsScenarios.result.parse({
    chain_id: 31337,
    vault_address: anAddress(1),
    as_of: '2026-01-31T00:00:00.000Z',
    block_number: 100,
    quality: {},
    shocks,
    top_holders: 3,
    total_assets: '1000000000',
    scenarios: [
      {
        kind: 'oracle_stop',
        size: 48,
        targets: [],
        loss_assets: '0',
        loss_usd: 0,
        loss_share: 0,
        payable: '0',
        asked: '400000000',
        lost: '0',
        paid: '0',
        waiting: '400000000',
        wallets_waiting: 2,
        holders: [],
        blocked_in_seconds: 3_600,
      },
    ],
    exposure: [{ layer: 'protocol', name: 'Aave v3', sources: [anAddress(7)], assets: '600000000', share: 0.6 }],
  });

test('default: a visitor sees the usual shocks, who waits, and what assets depend on', async () => {
  const analyticsScenarios = jest.fn(async (_asked: unknown) => aTable(usualShocks));
  await renderPage(<Scenarios shown={aShown({ my_role: null })} />, { api: fakeApi({ analyticsScenarios }) });
  expect(await screen.findByText('The oracle stops for 2 d')).toBeTruthy();
  expect(screen.getByText('The last price is usable for 1 h')).toBeTruthy();
  expect(screen.getByText('Aave v3')).toBeTruthy();
  expect(analyticsScenarios).toHaveBeenCalledWith(
    expect.objectContaining({ query: expect.objectContaining({ shocks: usualShocks }) }),
  );
  expect(screen.queryByText('Keep for this vault')).toBeNull();
});

test('behavior: a manager keeps the shocks as they were written, and a fault is said before', async () => {
  const setScenarioSet = jest.fn(async (_asked: unknown) => ({ ...chosen, version: 4 }));
  const chosen = {
    shocks: 'run:5',
    names: [],
    version: 3,
    changed_by: anAddress(2),
    changed_at: '2026-01-01T00:00:00.000Z',
  };
  await renderPage(<Scenarios shown={aShown({ my_role: 'primary_manager' })} />, {
    api: fakeApi({
      analyticsScenarios: async () => aTable('run:5'),
      scenarioSet: async () => chosen,
      setScenarioSet,
    } as never),
  });
  await screen.findByText('The oracle stops for 2 d');
  const box = screen.getByLabelText<HTMLTextAreaElement>('One shock a line');
  expect(box.value).toBe('run:5');
  await userEvent.clear(box);
  await userEvent.type(box, 'gas:0');
  expect(screen.getByText('gas: its size must be a factor above 1 and up to 1000')).toBeTruthy();
  await userEvent.clear(box);
  await userEvent.type(box, 'gas:10\nrun:2');
  await userEvent.click(screen.getByText('Keep for this vault'));
  expect(setScenarioSet).toHaveBeenCalledWith(
    expect.objectContaining({ body: { shocks: 'gas:10,run:2', names: [], replaces: 3 } }),
  );
});

test('behavior: shocks that are being written stay when somebody else keeps others', async () => {
  let chosen = {
    shocks: 'run:5',
    names: [],
    version: 3,
    changed_by: anAddress(2),
    changed_at: '2026-01-01T00:00:00.000Z',
  };
  const setScenarioSet = jest.fn(async (_asked: unknown) => ({ ...chosen, version: 5 }));
  const { queries } = await renderPage(<Scenarios shown={aShown({ my_role: 'primary_manager' })} />, {
    api: fakeApi({
      analyticsScenarios: async () => aTable('run:5'),
      scenarioSet: async () => chosen,
      setScenarioSet,
    } as never),
  });
  await screen.findByText('The oracle stops for 2 d');
  const box = screen.getByLabelText<HTMLTextAreaElement>('One shock a line');
  await userEvent.type(box, '\ngas:10');
  chosen = { ...chosen, version: 4, shocks: 'run:7' };
  await act(() => queries.invalidateQueries());
  expect(await screen.findByText('Theirs: run:7.')).toBeTruthy();
  expect(box.value).toBe('run:5\ngas:10');
  await userEvent.click(screen.getByText('Keep what I typed, on top of theirs'));
  await userEvent.click(screen.getByText('Keep for this vault'));
  expect(setScenarioSet.mock.calls).toMatchObject([[{ body: { shocks: 'run:5,gas:10', replaces: 4 } }]]);
});

test.each([
  ['a manager is asked before shocks that are written are left, not for a blank line', 'primary_manager', true],
  ['who may not keep them is not', 'view_only', false],
] as const)('behavior: %s', async (_, my_role, isAsked) => {
  const chosen = {
    shocks: 'run:5',
    names: [],
    version: 3,
    changed_by: anAddress(2),
    changed_at: '2026-01-01T00:00:00.000Z',
  };
  await renderPage(<Scenarios shown={aShown({ my_role })} />, {
    api: fakeApi({ analyticsScenarios: async () => aTable('run:5'), scenarioSet: async () => chosen } as never),
  });
  await screen.findByText('The oracle stops for 2 d');
  const box = screen.getByLabelText('One shock a line');
  await userEvent.type(box, '\n');
  expect(hasUnsaved()).toBe(false);
  await userEvent.type(box, 'gas:10');
  expect(hasUnsaved()).toBe(isAsked);
});
