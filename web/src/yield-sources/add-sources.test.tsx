import '../../test/browser.ts';
import { ListYieldSources } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aShown } from '../../test/shown.ts';
import { hasUnsaved } from '../../test/unsaved.ts';
import { AddSources } from './add-sources.tsx';

const fresh = anAddress(0x32);
const oracle = anAddress(0x40);
const listing = ListYieldSources.result.parse({
  chain_id: 31337,
  vault_address: anAddress(1),
  block_number: 100,
  yield_sources: [],
  oracles: [],
});

test('behavior: sources that are typed or pasted and not added ask before they are left', async () => {
  const answered = () => new Promise(() => undefined);
  await renderPage(<AddSources shown={aShown()} listing={listing} onAdd={() => undefined} />, {
    api: fakeApi({ describeYieldSource: answered, sourceCatalogue: answered }),
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Paste a list' }));
  const area = screen.getByRole('textbox', { name: /^Lines of source/ });
  expect(hasUnsaved()).toBe(false);
  await userEvent.click(area);
  await userEvent.paste(`${fresh}, ${oracle}`);
  expect(hasUnsaved()).toBe(true);
  await userEvent.click(screen.getByRole('button', { name: 'Take over the list' }));
  expect(hasUnsaved()).toBe(true);
  await userEvent.clear(screen.getByRole('textbox', { name: 'Source 1' }));
  await userEvent.clear(screen.getByRole('combobox', { name: 'Oracle 1' }));
  expect(hasUnsaved()).toBe(false);
});
