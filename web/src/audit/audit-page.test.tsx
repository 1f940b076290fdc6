import '../../test/browser.ts';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { aChain, anAuditRow } from '../../test/audit.ts';
import { anAddress } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aShown, refusal } from '../../test/shown.ts';
import type { Role } from '../users/access.ts';
import type { TimelineItem } from './audit-labels.ts';
import { AuditPage } from './audit-page.tsx';

const self = anAddress(0x10);
const anItem = (number: number, parts: Partial<TimelineItem> = {}): TimelineItem => ({
  id: `item-${number}`,
  t: `2026-01-${String(number).padStart(2, '0')}T09:30:00.000Z`,
  category: 'role',
  action_type: 'secondary_manager_added',
  title: `Thing ${number} happened`,
  actor: { wallet_address: self, display_name: 'Mara' },
  tx_hash: null,
  details: {},
  ...parts,
});
const page = <K extends string, T>(name: K, rows: T[], next: string | null = null) =>
  ({ [name]: rows, total: rows.length + (next === null ? 0 : 1), has_more: next !== null, next_cursor: next }) as const;
const rows = [anAuditRow(2), anAuditRow(1, { category: 'write', actor_wallet: null, tx_hash: null })];
const logs = { ...page('logs', rows), action_types: ['secondary_manager_added', 'display_name_set'] };

type Answers = Parameters<typeof fakeApi>[0];
const open = (my_role: Role, answers: Answers = {}, url = '/') =>
  renderPage(<AuditPage shown={aShown({ my_role })} />, {
    api: fakeApi({
      timeline: async () => page('items', [anItem(2), anItem(1)]),
      auditLogs: async () => logs,
      ...answers,
    }),
    address: self,
    path: '/',
    url,
  });

const realFetch = window.fetch;
afterEach(() => {
  window.fetch = realFetch;
});
const answerWith = (body: unknown, status = 200) => {
  const get = jest.fn(
    async (_url: string, _init: RequestInit) =>
      ({
        ok: status < 400,
        status,
        headers: new Headers({ 'content-type': 'application/json' }),
        json: async () => body,
        text: async () => JSON.stringify(body),
      }) as Response,
  );
  window.fetch = get as unknown as typeof fetch;
  return get;
};

describe('timeline', () => {
  test('default: what happened, in words, by day', async () => {
    await open('view_only', {
      timeline: async () => page('items', [anItem(2), anItem(2, { id: 'b', title: 'Another' }), anItem(1)]),
    });
    const day = await screen.findByRole('region', { name: /2 January 2026/ });
    expect(within(day).getAllByRole('listitem')).toHaveLength(2);
    expect(screen.getByText('Thing 1 happened')).toBeTruthy();
  });

  test('behavior: a kind is asked of the server and stands in the URL', async () => {
    const timeline = jest.fn(async (_input: unknown) => page('items', [anItem(1)]));
    const { where } = await open('view_only', { timeline });
    await userEvent.click(await screen.findByRole('button', { name: 'Fees' }));
    await waitFor(() =>
      expect(timeline).toHaveBeenLastCalledWith(expect.objectContaining({ query: { limit: '50', category: 'fee' } })),
    );
    expect(where.search).toBe('?category=fee');
    expect(screen.getByRole('button', { name: 'Fees' }).getAttribute('aria-pressed')).toBe('true');
  });

  test('behavior: more is read from where the page ended', async () => {
    const timeline = jest.fn(async ({ query }: { query: { cursor?: string } }) =>
      query.cursor === 'next' ? page('items', [anItem(1)]) : page('items', [anItem(2)], 'next'),
    );
    await open('view_only', { timeline });
    await userEvent.click(await screen.findByRole('button', { name: 'Show more' }));
    expect(await screen.findByText('Thing 1 happened')).toBeTruthy();
  });

  test('default: before anything happened it says what will appear', async () => {
    await open('view_only', { timeline: async () => page('items', []) });
    expect(await screen.findByText('Nothing has happened yet')).toBeTruthy();
  });

  test('error: an unreadable timeline says so with the request', async () => {
    await open('view_only', {
      timeline: async () => {
        throw refusal('SERVICE_UNAVAILABLE', 503);
      },
    });
    expect(await screen.findByText('The timeline could not be read')).toBeTruthy();
    expect(screen.getByText('req-1')).toBeTruthy();
  });
});

describe('audit log', () => {
  test('behavior: a viewer sees no log, not even by its address', async () => {
    const auditLogs = jest.fn(async () => logs);
    await open('view_only', { auditLogs }, '/?view=log');
    expect(await screen.findByText('Thing 1 happened')).toBeTruthy();
    expect(screen.queryByRole('tab')).toBeNull();
    expect(auditLogs).not.toHaveBeenCalled();
  });

  test.each<Role>(['primary_manager', 'secondary_manager'])('default: %s sees the rows', async (role) => {
    const { where } = await open(role);
    await userEvent.click(await screen.findByRole('tab', { name: 'Audit log' }));
    const table = await screen.findByRole('table', { name: 'Audit log' });
    expect(within(table).getAllByRole('row')).toHaveLength(3);
    expect(where.search).toBe('?view=log');
  });

  test('behavior: the filter of the URL is what the server is asked', async () => {
    const auditLogs = jest.fn(async (_input: unknown) => logs);
    const filter = `category=role&action=secondary_manager_added&actor=${self}&from=2026-01-01&to=2026-01-02`;
    await open('primary_manager', { auditLogs }, `/?view=log&${filter}`);
    await screen.findByRole('table', { name: 'Audit log' });
    expect(auditLogs).toHaveBeenCalledWith({
      query: {
        vault_address: anAddress(1),
        chain_id: '31337',
        limit: '50',
        category: 'role',
        action_type: 'secondary_manager_added',
        actor: self,
        from_timestamp: '2026-01-01T00:00:00.000Z',
        to_timestamp: '2026-01-02T23:59:59.999Z',
      },
    });
  });

  test('behavior: half a wallet and days in the wrong order ask nothing', async () => {
    const auditLogs = jest.fn(async () => logs);
    await open('primary_manager', { auditLogs }, '/?view=log&from=2026-01-03&to=2026-01-02');
    expect(await screen.findByText('The first day is after the last.')).toBeTruthy();
    await userEvent.type(screen.getByRole('textbox', { name: /^Who/ }), '0x12');
    expect(screen.getByText(/40 hexadecimal digits/)).toBeTruthy();
    expect(auditLogs).not.toHaveBeenCalled();
  });

  test('behavior: a row opens with its hashes and as it is kept', async () => {
    await open('primary_manager', {}, '/?view=log');
    await userEvent.click(await screen.findByRole('button', { name: /^Open row 2/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Secondary manager added' });
    expect(within(dialog).getByText(/"vault_seq": 2/)).toBeTruthy();
    expect(within(dialog).getByText('Hash of the row before, in this vault')).toBeTruthy();
  });

  test.each(['CSV', 'JSON', 'NDJSON'])('behavior: %s is asked for with the filter and the token', async (format) => {
    const get = answerWith([]);
    URL.createObjectURL = () => 'blob:x';
    URL.revokeObjectURL = () => undefined;
    HTMLAnchorElement.prototype.click = jest.fn();
    await open('primary_manager', {}, '/?view=log&category=role');
    await userEvent.click(await screen.findByRole('button', { name: `Download the filtered log as ${format}` }));
    await waitFor(() => expect(HTMLAnchorElement.prototype.click).toHaveBeenCalled());
    const [url, init] = get.mock.calls[0] ?? [];
    expect(url).toContain(`format=${format.toLowerCase()}&category=role`);
    expect(init?.headers).toEqual({ authorization: 'Bearer token' });
  });
});

describe('verify chain', () => {
  const verify = async () => {
    await open('primary_manager', {}, '/?view=log&category=role');
    await userEvent.click(await screen.findByRole('button', { name: 'Verify chain' }));
  };

  test('default: an intact log is reported with its last hash, whatever the filter', async () => {
    const exported = await aChain(3);
    const get = answerWith(exported);
    await verify();
    expect(await screen.findByText('The log is whole: 3 rows')).toBeTruthy();
    expect(screen.getByText(exported.head.hash)).toBeTruthy();
    expect(get.mock.calls[0]?.[0]).not.toContain('category');
  });

  test('behavior: one changed byte is reported with its row', async () => {
    const { head, rows: chain } = await aChain(3);
    Object.assign(chain[1]?.details ?? {}, { reason: 'Drill' });
    answerWith({ head, rows: chain });
    await verify();
    expect(await screen.findByText('The log breaks at row 2')).toBeTruthy();
  });

  test('error: a refused export is no verdict', async () => {
    answerWith({ code: 'ROLE_REQUIRED', detail: 'Managers only.' }, 403);
    await verify();
    expect(await screen.findByText('The log could not be checked')).toBeTruthy();
    expect(screen.getByText('Managers only.')).toBeTruthy();
  });
});
