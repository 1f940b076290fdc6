import '../../test/browser.ts';
import { MandateDocument, mandateHash, mandateTypedData } from '@castellan/contracts';
import { expect, jest, test } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aShown } from '../../test/shown.ts';
import { hasUnsaved } from '../../test/unsaved.ts';
import { digestsOf } from '../digests/digests.ts';
import type { Role } from '../users/access.ts';
import { MandatePage } from './mandate-page.tsx';
import { differences } from './promise-words.ts';

const self = anAddress(0x10);
const observed = { block_number: 7, time: '2026-01-01T00:00:00.000Z' };
const documentOf = (...promises: object[]) => MandateDocument.parse({ format: 1, title: 'Core', promises });
const document = documentOf({ id: 'one-source', kind: 'source_share', at_most_bps: 6_000 });
const inForce = {
  version: 1,
  state: 'in_force' as const,
  document,
  document_hash: `0x${'ab'.repeat(32)}`,
  created_by: self,
  created_at: observed.time,
  signed_by: self,
  signature: '0x00',
  in_force_from: observed.time,
};
const limited = {
  promise_id: 'one-source',
  kind: 'source_share',
  bound: 'at_most',
  limit: 6_000,
  unit: 'bps',
} as const;
const promised = {
  ...limited,
  on_breach: 'warn',
  state: 'broken',
  value: 6_200,
  headroom: -200,
  subject: anAddress(5),
  observed,
};
const breach = {
  ...limited,
  breach_id: 'mb_1',
  version: 1,
  superseded: false,
  acknowledged_by: null,
  acknowledged_at: null,
  note: null,
  started: { ...observed, value: 6_100, subject: null },
  worst: { ...observed, value: 6_200, subject: null },
  ended: null,
};
const page = <K extends string, T>(name: K, rows: T[]) => ({
  [name]: rows,
  total: rows.length,
  has_more: false,
  next_cursor: null,
});

const open = (my_role: Role, more: Parameters<typeof fakeApi>[0] = {}) =>
  renderPage(<MandatePage shown={aShown({ my_role })} />, {
    api: fakeApi({
      mandate: async () => ({ in_force: inForce, draft: null }),
      mandateStatus: async () => ({
        version: 1,
        title: 'Core',
        state: 'broken',
        promises: [promised],
        open_breaches: 1,
      }),
      mandateBreaches: async () => page('breaches', [breach]),
      mandateVersions: async () => page('versions', [inForce]),
      ...more,
    } as never),
    address: self,
    path: '/',
    url: '/',
  });

test('default: each promise with its state and headroom, each breach with the observation that proves it', async () => {
  const acknowledge = jest.fn(async (_input: { body: object }) => breach);
  await open('secondary_manager', { acknowledgeMandateBreach: acknowledge } as never);
  const table = await screen.findByRole('table', { name: 'Promises' });
  expect(await within(table).findByText('Each source: at most 60.00% of the assets')).toBeTruthy();
  expect(within(table).getByText('2.00% beyond')).toBeTruthy();
  expect(await screen.findByText(/62\.00% at worst, at most 60\.00% promised/)).toBeTruthy();
  expect(screen.getByText(/Since 1 Jan 2026.* \(block 7\)/)).toBeTruthy();
  await userEvent.type(screen.getByRole('textbox', { name: 'Note on one-source' }), 'Rebalancing');
  await userEvent.click(screen.getByRole('button', { name: 'Acknowledge the breach of one-source' }));
  await waitFor(() => expect(acknowledge.mock.calls[0]?.[0].body).toEqual({ note: 'Rebalancing' }));
});

test('security: who may only view is offered neither a document nor an acknowledgement', async () => {
  await open('view_only');
  await screen.findByRole('table', { name: 'Promises' });
  await screen.findByText('Version 1');
  expect(screen.queryByRole('textbox')).toBeNull();
  expect(screen.queryByRole('button', { name: /^(Acknowledge|Keep|Sign)/ })).toBeNull();
});

test('behavior: before a version is put into force, the page shows what a hardware wallet shows of it', async () => {
  const draft = {
    ...inForce,
    version: 2,
    state: 'draft' as const,
    signed_by: null,
    signature: null,
    in_force_from: null,
  };
  await open('primary_manager', { mandateVersions: async () => page('versions', [draft, inForce]) } as never);
  const { chain_id, vault_address } = aShown().vault;
  const signed = { chain_id, vault_address, version: 2, document_hash: mandateHash(document) };
  for (const { label, value } of digestsOf(mandateTypedData(signed)))
    expect((await screen.findByText(label)).nextElementSibling?.textContent).toContain(value);
  expect(screen.getByRole('button', { name: 'Sign and put version 2 into force' })).toBeTruthy();
});

test('behavior: what was seen stays when the session ends', async () => {
  const answers = {
    mandate: jest.fn(async () => ({ in_force: inForce, draft: null })),
    mandateStatus: jest.fn(async () => ({
      version: 1,
      title: 'Core',
      state: 'broken',
      promises: [promised],
      open_breaches: 1,
    })),
    mandateVersions: jest.fn(async () => page('versions', [inForce])),
    mandateBreaches: jest.fn(async () => page('breaches', [breach])),
  };
  const { session, queries } = await open('primary_manager', answers as never);
  await screen.findByText('Version 1');
  await waitFor(() => expect(queries.isFetching()).toBe(0));
  act(() => session.end('unauthorized'));
  const asked = () => Object.values(answers).map(({ mock }) => mock.calls.length);
  const before = asked();
  await act(() => queries.invalidateQueries());
  expect(asked()).toEqual(before);
});

test('behavior: what is written stays when somebody else writes a version, and replaces theirs once that is decided', async () => {
  let versions = [inForce];
  const draftMandate = jest.fn(async (_: unknown) => ({ ...inForce, version: 3, state: 'draft' as const }));
  const { queries } = await open('primary_manager', {
    draftMandate,
    mandateVersions: async () => page('versions', versions),
  } as never);
  const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Document (YAML or JSON)' });
  const mine = JSON.stringify({ ...document, title: 'Mine' });
  fireEvent.change(field, { target: { value: mine } });
  versions = [{ ...inForce, version: 2 }, inForce];
  await act(() => queries.invalidateQueries());
  expect(await screen.findByText('Somebody else changed the mandate meanwhile')).toBeTruthy();
  expect(field.value).toBe(mine);
  await userEvent.click(screen.getByRole('button', { name: 'Keep what I typed, on top of theirs' }));
  await userEvent.click(screen.getByRole('button', { name: 'Keep as draft' }));
  await waitFor(() =>
    expect(draftMandate.mock.calls).toMatchObject([[{ body: { document: { title: 'Mine' }, replaces: 2 } }]]),
  );
});

test('behavior: a document that is typed asks before it is left, and no more once it is kept', async () => {
  const draftMandate = jest.fn(async (_: unknown) => ({ ...inForce, version: 2, state: 'draft' as const }));
  await open('primary_manager', { draftMandate } as never);
  const field = await screen.findByRole('textbox', { name: 'Document (YAML or JSON)' });
  expect(hasUnsaved()).toBe(false);
  fireEvent.change(field, { target: { value: JSON.stringify({ ...document, title: 'Mine' }) } });
  expect(hasUnsaved()).toBe(true);
  await userEvent.click(screen.getByRole('button', { name: 'Keep as draft' }));
  await waitFor(() => expect(hasUnsaved()).toBe(false));
});

test('behavior: a file takes the place of what was typed only after a question', async () => {
  const { container } = await open('primary_manager');
  const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Document (YAML or JSON)' });
  const input = container.querySelector<HTMLInputElement>('input[type="file"]') as HTMLInputElement;
  // A file of jsdom cannot be read by itself.
  const file = (text: string) => Object.assign(new File([text], 'mandate.yaml'), { text: async () => text });
  const choose = (text: string) => userEvent.upload(input, file(text));
  await choose('format: 1');
  await waitFor(() => expect(field.value).toBe('format: 1'));
  await choose('format: 2');
  expect(await screen.findByText('The file would replace what you typed')).toBeTruthy();
  expect(field.value).toBe('format: 1');
  await userEvent.click(screen.getByRole('button', { name: 'Keep what I typed' }));
  expect(field.value).toBe('format: 1');
  await choose('format: 3');
  await userEvent.click(await screen.findByRole('button', { name: 'Replace it by the file' }));
  expect(field.value).toBe('format: 3');
});

test('behavior: faults of a document are named, and nothing is sent', async () => {
  const draftMandate = jest.fn();
  await open('primary_manager', { draftMandate } as never);
  const field = await screen.findByRole('textbox', { name: 'Document (YAML or JSON)' });
  fireEvent.change(field, { target: { value: 'format: 1' } });
  await userEvent.click(screen.getByRole('button', { name: 'Keep as draft' }));
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('promises');
  expect(draftMandate).not.toHaveBeenCalled();
});

test('default: versions differ in what was added, changed and taken out', () => {
  const after = documentOf(
    { id: 'one-source', kind: 'source_share', at_most_bps: 5_000, on_breach: 'refuse' },
    { id: 'idle', kind: 'idle_share', at_least_bps: 100 },
  );
  expect(differences(document, after)).toEqual([
    {
      id: 'one-source',
      before: 'Each source: at most 60.00% of the assets',
      after: 'Each source: at most 50.00% of the assets (refuses calls that break it)',
    },
    { id: 'idle', before: null, after: 'Idle: at least 1.00% of the assets' },
  ]);
  expect(differences(after, document).at(-1)).toEqual({
    id: 'idle',
    before: 'Idle: at least 1.00% of the assets',
    after: null,
  });
  expect(differences(document, document)).toEqual([]);
});
