import '../../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../test/harness.tsx';
import { aShown, refusal } from '../../../test/shown.ts';
import { allocation, anExit, aShard, aStrategy, listOf, source, sourceName } from '../../../test/strategies.ts';
import type { Role } from '../types.ts';
import { ExitTab } from './exit-tab.tsx';

const at = '2026-01-01T00:00:00.000Z';
const lock = { strategy_id: 'exit-1', target_address: source, started_at: at, reason: 'Depeg' };
const idle = async () => {
  throw refusal('ENGINE_IDLE', 404);
};
const own = aStrategy();
const engine = (kill_switch: boolean) => ({
  id: `31337:${anAddress(1)}`,
  kill_switch,
  max_intents_per_minute: 6,
  max_active_intents: 4,
  version: 1,
});

async function open(answers: Record<string, unknown> = {}, my_role: Role = 'secondary_manager') {
  const api = fakeApi({
    listStrategies: listOf([anExit(), own]),
    engineShard: idle,
    engineVault: async () => engine(false),
    ...answers,
  });
  return renderPage(<ExitTab shown={aShown({ my_role, allocation })} />, { api, address: anAddress(0x10) });
}
const arm = async () => {
  await userEvent.click(await screen.findByRole('button', { name: `Arm the exit from ${sourceName}` }));
  return screen.findByRole('form', { name: 'Arm the exit' });
};
const field = (form: HTMLElement, name: RegExp) => within(form).getByRole('textbox', { name });
const submit = (form: HTMLElement) => within(form).getByRole('button', { name: 'Arm the exit' });

describe('arming', () => {
  test('behavior: takes the end of the address of the source, and sends reason and slippage', async () => {
    const setStrategyState = jest.fn(async (_input: unknown) => anExit({ state: 'RUNNING' }));
    await open({ setStrategyState });
    const form = await arm();
    expect(submit(form).hasAttribute('disabled')).toBe(true);
    await userEvent.type(field(form, /last 6 characters/), 'ffffff');
    expect(submit(form).hasAttribute('disabled')).toBe(true);
    await userEvent.clear(field(form, /last 6 characters/));
    await userEvent.type(field(form, /last 6 characters/), source.slice(-6).toLowerCase());
    await userEvent.type(field(form, /^Reason/), ' Depeg ');
    await userEvent.clear(field(form, /^Max slippage/));
    await userEvent.type(field(form, /^Max slippage/), '75');
    await userEvent.click(submit(form));
    expect(setStrategyState).toHaveBeenCalledWith({
      params: { id: 'exit-1' },
      body: {
        target_state: 'RUNNING',
        version: 3,
        emergency_arm_reason: 'Depeg',
        emergency_max_slippage_bps: 75,
      },
    });
  });

  test('behavior: what is typed stays while it is not known what is locked; only the button waits', async () => {
    let isGone = false;
    const engineShard = async () => {
      throw isGone ? refusal('RPC_UNAVAILABLE', 503) : refusal('ENGINE_IDLE', 404);
    };
    const { queries } = await open({ engineShard });
    const form = await arm();
    await userEvent.type(field(form, /last 6 characters/), source.slice(-6));
    isGone = true;
    await act(() => queries.invalidateQueries());
    expect(await within(form).findByText('Not now')).toBeTruthy();
    expect((field(form, /last 6 characters/) as HTMLInputElement).value).toBe(source.slice(-6));
    expect(submit(form).hasAttribute('disabled')).toBe(true);
    isGone = false;
    await act(() => queries.invalidateQueries());
    await waitFor(() => expect(submit(form).hasAttribute('disabled')).toBe(false));
  });

  test('behavior: a slippage that is none closes the button', async () => {
    await open();
    const form = await arm();
    await userEvent.type(field(form, /last 6 characters/), source.slice(-6));
    expect(submit(form).hasAttribute('disabled')).toBe(false);
    await userEvent.type(field(form, /^Max slippage/), '0000');
    expect(submit(form).hasAttribute('disabled')).toBe(true);
  });

  test('error: a refusal leaves what was typed', async () => {
    const setStrategyState = async () => {
      throw refusal('VERSION_CONFLICT', 409);
    };
    await open({ setStrategyState });
    const form = await arm();
    await userEvent.type(field(form, /last 6 characters/), source.slice(-6));
    await userEvent.click(submit(form));
    expect(await screen.findByText('It was not armed')).toBeTruthy();
    expect((field(form, /last 6 characters/) as HTMLInputElement).value).toBe(source.slice(-6));
  });

  test('behavior: under the kill switch it is said that an armed exit does nothing', async () => {
    await open({ engineVault: async () => engine(true) });
    expect(await screen.findByText('The kill switch is on: an armed exit does nothing')).toBeTruthy();
  });

  test('default: what would stand still is named before', async () => {
    await open();
    expect(await screen.findByText('Would stop: Put idle cash to work.')).toBeTruthy();
  });
});

describe('locks', () => {
  const armed = { listStrategies: listOf([anExit({ state: 'RUNNING' }), own]) };

  test('default: an armed exit shows its lock and is stopped', async () => {
    const setStrategyState = jest.fn(async (_input: unknown) => anExit());
    await open({ ...armed, engineShard: async () => aShard({ emergency_locks: [lock] }), setStrategyState });
    expect(await screen.findByText('Locked since 1 Jan 2026, 00:00 UTC. Depeg')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: `Stop the exit from ${sourceName}` }));
    await userEvent.click(await screen.findByRole('button', { name: 'Stop the exit' }));
    expect(setStrategyState).toHaveBeenCalledWith({
      params: { id: 'exit-1' },
      body: { target_state: 'IDLE', version: 3 },
    });
  });

  test.each<[string, Record<string, unknown>]>([
    [
      'they cannot be read',
      {
        engineShard: async () => {
          throw refusal('RPC_UNAVAILABLE', 503);
        },
      },
    ],
    [
      'the list cannot be read',
      {
        listStrategies: async () => {
          throw refusal('INTERNAL', 500);
        },
      },
    ],
    ['the engine has no lock of an armed exit', { ...armed, engineShard: async () => aShard() }],
    ['there is a lock of no exit', { engineShard: async () => aShard({ emergency_locks: [lock] }) }],
  ])('error: nothing can be armed while %s', async (_what, answers) => {
    await open(answers);
    expect(await screen.findByText('Nothing can be armed now')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /^(Arm|Stop) the exit/ })).toBeNull();
  });

  test('behavior: who only views has no button', async () => {
    await open({}, 'view_only');
    expect(await screen.findByText('Not armed')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Arm|Stop/ })).toBeNull();
  });
});
