import { type MandateDocument, mandateTypedData, type PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { afterAll, beforeAll, test } from '@jest/globals';
import type { StoredSession } from '../../../tools/web-pages.ts';
import { account, baseUrl, untilRead } from '../../system/actors.ts';
import { browserForTests } from '../../system/browser.ts';
import { expect } from '../../system/expect.ts';
import { keeperMs, minedMs, scenarioMs } from '../../system/patience.ts';
import { look } from '../../system/screen-checks.ts';
import { sessionOf } from '../../system/session.ts';
import { step } from '../../system/step.ts';
import { strategyScene } from '../../system/strategy-scene.ts';

/** A promise of a vault that a strategy meets: refused by the keeper while it refuses, broken and in the ledger once it only warns. */

const sourceName = 'Pendle PT stETH';
const strategyName = `Towards its cap ${Date.now().toString(36)}`;
const browser = browserForTests();
let growth: PublicVault;
let params: { chain_id: string; vault_address: string };
let session: StoredSession;
let scene: Awaited<ReturnType<typeof strategyScene>>;

beforeAll(async () => {
  const vaults = await createClient({ baseUrl: baseUrl() }).publicVaults({});
  growth = vaults.find(({ name }) => name === 'WETH Growth') as PublicVault;
  params = { chain_id: `${growth.chain_id}`, vault_address: growth.vault_address };
  session = await sessionOf(1);
  scene = await strategyScene(growth);
}, scenarioMs);

afterAll(() => scene.archive((name) => name === strategyName));

/** Drafts a mandate of one promise, and puts it into force with the signature of the primary manager. */
async function promise(one: MandateDocument['promises'][number]): Promise<void> {
  const { client } = scene;
  const { versions } = await client.mandateVersions({ params, query: { limit: '1' } });
  const body = {
    document: { format: 1 as const, title: 'Tried promises', public: true, promises: [one] },
    replaces: versions[0]?.version ?? 0,
  };
  const { version, document_hash } = await client.draftMandate({ params, body });
  const { chain_id, vault_address } = growth;
  const typed = mandateTypedData({ chain_id, vault_address, version, document_hash });
  const signature = await account(1).signTypedData(typed as Parameters<ReturnType<typeof account>['signTypedData']>[0]);
  await client.enforceMandate({ params: { ...params, version: `${version}` }, body: { signature } });
}

/** The promise that the source holds no more of the assets than now, and a little. */
async function capOf(): Promise<{ id: string; kind: 'source_share'; source: string; at_most_bps: number }> {
  const { allocation } = await scene.client.vault({ params });
  const item = allocation.find(({ name }) => name === sourceName);
  if (!item) throw new Error(`The vault has no source ${sourceName}.`);
  return {
    id: 'cap',
    kind: 'source_share',
    source: item.source_address,
    at_most_bps: Math.ceil((item.share ?? 0) * 10_000) + 1,
  };
}

const intentOf = (id: string, state: string) =>
  untilRead(
    `an intent is ${state}`,
    async () => (await scene.client.listIntents({ query: { vault_id: scene.vault_id, strategy_id: id } })).intents,
    (intents) => intents.some((intent) => intent.state === state),
    keeperMs,
  ).then((intents) => intents.find((intent) => intent.state === state));

async function setState(id: string, target_state: 'RUNNING' | 'IDLE'): Promise<void> {
  const { version } = await scene.client.getStrategy({ params: { id } });
  await scene.client.setStrategyState({ params: { id }, body: { version, target_state } });
}

const operate = (path: string) => `${baseUrl()}/operate/devnet/${growth.vault_address}/${path}`;

test(
  'behavior: a strategy that would break a promise is refused; where the mandate only warns the breach is in the ledger, on both pages and an alert',
  async () => {
    await scene.allowAllSources();
    const cap = await capOf();
    const id = await scene.deposits(strategyName, sourceName, 0);
    const page = await browser.open({ session });
    await step('the keeper refuses it and says why', async () => {
      await promise({ ...cap, on_breach: 'refuse' });
      await setState(id, 'RUNNING');
      const refused = await intentOf(id, 'ABORTED');
      expect([refused?.error_code, refused?.fills_count]).toEqual(['MANDATE_REFUSES', 0]);
      await page.goto(operate('keeper'));
      await expect(page.getByText(/the mandate promises at most/).first()).toBeVisible({ withinMs: keeperMs });
      await look(page, 'keeper-mandate');
    });
    await step('once it only warns, it is carried out, and the promise is broken', async () => {
      await promise({ ...cap, on_breach: 'warn' });
      await intentOf(id, 'COMPLETED');
      await setState(id, 'IDLE');
      await untilRead(
        'the breach is in the ledger',
        async () => (await scene.client.mandateBreaches({ params, query: { limit: '5' } })).breaches,
        (breaches) => breaches.some(({ promise_id, ended }) => promise_id === cap.id && ended === null),
        minedMs,
      );
      await page.goto(operate('mandate'));
      await expect(page.getByRole('table', { name: 'Promises' }).getByText(/ beyond$/)).toBeVisible({
        withinMs: minedMs,
      });
      await page.getByRole('textbox', { name: 'Note on cap' }).first().fill('Wanted');
      await page.getByRole('button', { name: 'Acknowledge the breach of cap' }).first().click();
      await expect(page.getByText(/^Acknowledged /).first()).toBeVisible();
      await look(page, 'mandate-broken');
      const query = { ...params, rule_id: 'mandate_breached', status: 'active' } as const;
      await untilRead(
        'the alert is open',
        async () => (await scene.client.listAlerts({ query })).alerts,
        (alerts) => alerts.length > 0,
        minedMs,
      );
    });
    await step('a visitor sees it on the page of the vault', async () => {
      const visitor = await browser.open({ colorScheme: 'light' });
      await visitor.goto(`${baseUrl()}/managed-vaults/devnet/${growth.vault_address}`);
      await expect(visitor.getByText('1 promise broken')).toBeVisible({ withinMs: minedMs });
      await expect(visitor.getByRole('list', { name: 'Breaches' }).getByText('Wanted').first()).toBeVisible();
      await look(visitor, 'mandate-public');
    });
    await promise({ ...cap, at_most_bps: 10_000, on_breach: 'warn' });
    await untilRead(
      'the mandate is held again',
      () => scene.client.mandateStatus({ params }),
      ({ state }) => state === 'held',
      minedMs,
    );
  },
  scenarioMs,
);
