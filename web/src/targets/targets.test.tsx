import '../../test/browser.ts';
import { AllocationTargets } from '@castellan/contracts';
import { describe, expect, jest, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aShown, refusal } from '../../test/shown.ts';
import { aimsOf, isOverCap, lackOf, projected, shareOf, wholeOf } from './aims.ts';
import { readDraft } from './draft.ts';
import { TargetsSection } from './targets-section.tsx';

const lend = anAddress(0x30);
const prime = anAddress(0x31);
const item = (source_address: string, name: string, assets: string | null, kind: 'source' | 'idle' = 'source') => ({
  source_address,
  name,
  kind,
  assets,
  oracle_address: null,
  usd: null,
  share: null,
  apy: null,
  is_active: true,
});
const allocation = [
  item(anAddress(2), 'Idle', '200000000', 'idle'),
  item(lend, 'Lend USDC', '700000000'),
  item(prime, 'Prime USDC', '100000000'),
];
const targets = AllocationTargets.parse({
  chain_id: 31337,
  vault_address: anAddress(1),
  version: 3,
  from_block: 100,
  updated_at: '2026-01-01T00:00:00Z',
  updated_by: anAddress(0x10),
  idle: { target_bps: 1_000, mandate_at_least_bps: 200 },
  sources: [
    {
      source_address: lend,
      name: 'Lend USDC',
      target_bps: 4_000,
      cap_bps: 6_000,
      mandate_cap_bps: 4_500,
      cap_in_force_bps: 4_500,
    },
    {
      source_address: prime,
      name: 'Prime USDC',
      target_bps: 5_000,
      cap_bps: null,
      mandate_cap_bps: null,
      cap_in_force_bps: null,
    },
  ],
});

describe('what is set, over what is there', () => {
  const aims = aimsOf({ allocation }, targets.sources);
  const whole = wholeOf('1000000000', aims);

  test('default: idle has the rest, the stricter cap counts, and no target is above it', () => {
    expect(aims.map(({ name, targetBps, capBps }) => [name, targetBps, capBps])).toEqual([
      ['Idle', 1_000, null],
      ['Lend USDC', 4_000, 4_500],
      ['Prime USDC', 5_000, null],
    ]);
    const tight = targets.sources.map((source) => ({ ...source, mandate_cap_bps: 3_000 }));
    expect(aimsOf({ allocation }, tight).map(({ targetBps }) => targetBps)).toEqual([4_000, 3_000, 3_000]);
  });

  test('default: what is missing, what is beyond, and what would move', () => {
    expect(aims.map((aim) => lackOf(aim, whole))).toEqual([-100_000_000n, -300_000_000n, 400_000_000n]);
    expect(aims.map((aim) => isOverCap(aim, whole))).toEqual([false, true, false]);
    const effect = projected(aims, whole);
    expect([...(effect?.byId.values() ?? [])].map(({ moved }) => moved)).toEqual([
      -300_000_000n,
      400_000_000n,
      -100_000_000n,
    ]);
    expect(effect?.missing).toBe(0n);
  });

  test('behavior: the whole is what the chain counts, as strategies and mandates take it', () => {
    const more = wholeOf('2000000000', aims);
    expect(aims.map(({ assets }) => shareOf(assets, more))).toEqual([0.1, 0.35, 0.05]);
    expect(aims.map((aim) => lackOf(aim, more))).toEqual([0n, 100_000_000n, 900_000_000n]);
    expect(aims.map((aim) => isOverCap(aim, more))).toEqual([false, false, false]);
  });

  test('behavior: while a source cannot be read no share is known and nothing is projected', () => {
    const partly = aimsOf({ allocation: allocation.with(1, item(lend, 'Lend USDC', null)) }, targets.sources);
    const seen = wholeOf('1000000000', partly);
    expect(partly.map(({ assets }) => shareOf(assets, seen))).toEqual([null, null, null]);
    expect(partly.map((aim) => lackOf(aim, seen))).toEqual([-100_000_000n, null, 400_000_000n]);
    expect(projected(partly, seen)).toBeUndefined();
  });
});

describe('what is typed', () => {
  const typed = (target: string, cap = '', other = '') =>
    readDraft({ [lend]: { target, cap }, [prime]: { target: other, cap: '' } }, targets);

  test('default: percentages with two decimals at most are basis points, nothing is none', () => {
    expect(typed('12.5', '40,25 %').body[0]).toEqual({ source_address: lend, target_bps: 1_250, cap_bps: 4_025 });
    expect(typed('').body[0]).toMatchObject({ target_bps: null, cap_bps: null });
    expect(typed('', '', '50').left).toBe('Idle and the sources without a target keep 50 %.');
    expect(typed('40', '', '50').left).toBe('Idle keeps 10 %.');
  });

  test.each<[string, string, RegExp]>([
    ['abc', '', /percentage/],
    ['1.234', '', /percentage/],
    ['100.01', '', /percentage/],
    ['-1', '', /percentage/],
    ['30', '20', /above the cap/],
    ['46', '', /mandate promises 45 % at most/],
  ])('error: %s of %s', (target, cap, reason) => {
    expect(typed(target, cap).faults[lend]?.target).toMatch(reason);
  });

  test.each([
    ['45', '60', 'The targets come to 105 %: 100 % is the most.'],
    ['45', '54', 'The targets leave 1 % idle; the mandate promises 2 % at least.'],
  ])('error: %s and %s together', (target, other, reason) => {
    expect(typed(target, '', other).whole).toBe(reason);
  });
});

type Role = 'primary_manager' | 'secondary_manager' | 'view_only';
const open = (my_role: Role, api: object = {}, held = allocation, url = '/') =>
  renderPage(<TargetsSection shown={aShown({ my_role, allocation: held, total_assets: '1000000000' })} />, {
    api: fakeApi({ allocationTargets: async () => targets, ...api }),
    address: anAddress(0x10),
    url,
  });
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
const type = async (name: string, text: string) => {
  const field = screen.getByRole('textbox', { name });
  await userEvent.clear(field);
  if (text !== '') await userEvent.type(field, text);
};

describe('targets and caps', () => {
  test('behavior: who was led here to set them begins at once; a viewer reads', async () => {
    const { unmount } = await open('secondary_manager', {}, allocation, '/#set-targets');
    expect(await screen.findByRole('textbox', { name: 'Cap, % Lend USDC' })).toBeTruthy();
    unmount();
    await open('view_only', {}, allocation, '/#set-targets');
    expect(await screen.findByRole('table', { name: 'Actual against targets' })).toBeTruthy();
    expect(screen.queryByRole('textbox')).toBeNull();
  });

  test('default: a viewer reads actual, target, cap and what is above it, and changes nothing', async () => {
    await open('view_only');
    const table = await screen.findByRole('table', { name: 'Actual against targets' });
    const [, idle, first] = within(table).getAllByRole('row');
    expect(idle?.textContent).toMatch(/Idle.*20.00%.*10.00%/);
    expect(first?.textContent).toMatch(/Lend USDC.*Above cap.*70.00%.*40.00%.*45.00%.*mandate.*−300 USDC/);
    expect(within(table).getByRole('img', { name: 'Lend USDC holds 70.00%, target 40.00%, cap 45.00%' })).toBeTruthy();
    expect(screen.getByText(/Version 3.*The mandate promises 2 % idle at least/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Change them' })).toBeNull();
  });

  test('behavior: while a source cannot be read, shares and what would move are left out, with the reason', async () => {
    await open('primary_manager', {}, allocation.with(1, item(lend, 'Lend USDC', null)));
    const table = await screen.findByRole('table', { name: 'Actual against targets' });
    const [, idle, first] = within(table).getAllByRole('row');
    expect(idle?.textContent).toMatch(/Idle—10.00%/);
    expect(first?.textContent).toMatch(/Lend USDCNot readable—40.00%/);
    expect(screen.getByText('Shares are not shown, as the assets of Lend USDC cannot be read now.')).toBeTruthy();
    await press('Change them');
    expect(screen.getByText(/What the targets would move is not shown, as the assets of Lend USDC/)).toBeTruthy();
    expect(screen.queryByRole('table', { name: 'Projected effect' })).toBeNull();
  });

  test('behavior: what would move is shown as one types, and what was read is what is replaced', async () => {
    let kept = targets;
    const set = jest.fn(async (_call: { body: unknown }) => {
      kept = { ...targets, version: 4 };
      return kept;
    });
    await open('secondary_manager', { allocationTargets: async () => kept, setAllocationTargets: set });
    await screen.findByRole('table', { name: 'Actual against targets' });
    await press('Change them');
    await type('Target, % Lend USDC', '20');
    const effect = screen.getByRole('table', { name: 'Projected effect' });
    const [, idle, first, second] = within(effect).getAllByRole('row');
    expect(idle?.textContent).toBe('Idle20.00%30.00%+100 USDC');
    expect(first?.textContent).toBe('Lend USDC70.00%20.00%−500 USDC');
    expect(second?.textContent).toBe('Prime USDC10.00%50.00%+400 USDC');
    expect(screen.getByText('Above a cap now')).toBeTruthy();
    expect(screen.getByText('Idle keeps 30 %.')).toBeTruthy();
    await press('Set targets and caps');
    expect(await screen.findByText(/Version 4/)).toBeTruthy();
    expect(set.mock.calls[0]?.[0].body).toEqual({
      version: 3,
      sources: [
        { source_address: lend, target_bps: 2_000, cap_bps: 6_000 },
        { source_address: prime, target_bps: 5_000, cap_bps: null },
      ],
    });
  });

  test('error: what cannot be kept is said and not sent', async () => {
    const set = jest.fn(async () => targets);
    await open('primary_manager', { setAllocationTargets: set });
    await screen.findByRole('table', { name: 'Actual against targets' });
    await press('Change them');
    await type('Target, % Lend USDC', '50');
    await press('Set targets and caps');
    expect(screen.getByText('The mandate promises 45 % at most')).toBeTruthy();
    expect(screen.queryByRole('table', { name: 'Projected effect' })).toBeNull();
    expect(set).not.toHaveBeenCalled();
  });

  describe('somebody else was first', () => {
    const [ofLend, ofPrime] = targets.sources;
    if (ofLend === undefined || ofPrime === undefined) throw new Error('two sources are needed');
    const newer = { ...targets, version: 4, sources: [{ ...ofLend, target_bps: 1_500 }, ofPrime] };
    const refused = async () => {
      let kept = targets;
      const set = jest.fn(async ({ body }: { body: { version: number; sources: object[] } }) => {
        if (body.version < 4) {
          kept = newer;
          throw refusal('VERSION_CONFLICT', 409);
        }
        kept = { ...newer, version: 5 };
        return kept;
      });
      await open('primary_manager', { allocationTargets: async () => kept, setAllocationTargets: set });
      await screen.findByRole('table', { name: 'Actual against targets' });
      await press('Change them');
      await type('Target, % Lend USDC', '20');
      await press('Set targets and caps');
      expect(await screen.findByText(/They are at version 4 now; you began with 3/)).toBeTruthy();
      expect(screen.getByRole('list', { name: 'What they set' }).textContent).toBe('Lend USDC: target 15 %, cap 60 %');
      return set;
    };
    const typed = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Target, % Lend USDC' }).value;

    test('error: what was typed stays, and is set over theirs when one says so', async () => {
      const set = await refused();
      expect(typed()).toBe('20');
      await press('Set mine over it');
      expect(await screen.findByText(/Version 5/)).toBeTruthy();
      expect(set.mock.calls.at(-1)?.[0].body).toMatchObject({ version: 4, sources: [{ target_bps: 2_000 }, {}] });
    });

    test('error: theirs is taken, and the next change begins with it', async () => {
      const set = await refused();
      await press('Take theirs and drop mine');
      expect(typed()).toBe('15');
      expect(screen.queryByText(/Somebody else/)).toBeNull();
      await press('Set targets and caps');
      expect(await screen.findByText(/Version 5/)).toBeTruthy();
      expect(set.mock.calls.at(-1)?.[0].body.version).toBe(4);
    });
  });

  test('behavior: the focus goes to the heading of what opens, and back to the button', async () => {
    await open('primary_manager');
    await screen.findByRole('table', { name: 'Actual against targets' });
    await press('Change them');
    expect(document.activeElement?.textContent).toBe('Set targets and caps');
    await press('Leave them as they are');
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Change them' }));
  });

  test('default: without any, it says what they are for', async () => {
    const bare = targets.sources.map((source) => ({
      ...source,
      target_bps: null,
      cap_bps: null,
      mandate_cap_bps: null,
      cap_in_force_bps: null,
    }));
    await open('primary_manager', { allocationTargets: async () => ({ ...targets, version: 0, sources: bare }) });
    expect(await screen.findByText('No target and no cap yet')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Change them' })).toBeTruthy();
  });
});
