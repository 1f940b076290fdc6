import { startSharedChromium } from '../../tests/system/chromium.ts';
import { readReports, systemProjectStep } from '../jest-step.ts';
import { runStep } from '../run-step.ts';
import { grantDemoViewer } from '../start/demo-viewer.ts';
import { localChains, rpcUrlOf, type Settings } from '../start/system.ts';

/**
 * Files of tests that need nothing but the gateway and the chain: what a curator does in a first hour by the API, and first sees in a
 * browser. Images run as in production, where pages offer no demo wallets to sign in with, and here without a network of validators.
 */
const files = ['tests/e2e/api/first-hour.e2e.test.ts', 'tests/e2e/pages/first-view.e2e.test.ts'];

/** The same tests that run on this checkout's services, on those of the images. @throws Error when one fails. */
export async function testTheSystem({ root, options, publicUrl }: Settings): Promise<void> {
  await grantDemoViewer(publicUrl);
  const browser = await startSharedChromium();
  if (browser === undefined) throw new Error('There is no Chromium here: install chromium-headless-shell.');
  const [chain] = localChains(options);
  if (chain === undefined) throw new Error('No local chain was started.');
  const env = {
    E2E_BASE_URL: publicUrl,
    E2E_RPC_URL: rpcUrlOf(chain),
    E2E_STATE_DIR: options.stateDir,
    E2E_BROWSER_URL: browser.wsEndpoint(),
  };
  try {
    const step = systemProjectStep(root, 'api', { files, env });
    const { ok } = await runStep(step);
    const run = readReports(step).flatMap(({ testResults }) => testResults);
    if (!ok) throw new Error('Tests failed on the images.');
    // A file that jest does not find passes.
    if (run.length !== files.length)
      throw new Error(`Of ${files.length} files of tests ${run.length} ran on the images.`);
  } finally {
    await browser.close();
  }
}
