import type { Fault, Whereabouts } from './faults.ts';
import type { ChainEntry, NodeFile } from './schema.ts';
import { publicChains } from './schema.ts';

export type Checked = { [K in keyof NodeFile]?: NodeFile[K] } & { chains?: readonly ChainEntry[] };

type Report = (path: string, got: string, expected: string) => void;

/** What no single key can say. Each check looks at the sections that are well formed, so that all faults come at once. */
export function crossFaults(config: Checked, whereabouts: Whereabouts, whereaboutsOfChains: Whereabouts): Fault[] {
  const faults: Fault[] = [];
  const report: Report = (path, got, expected) =>
    void faults.push({ where: whereabouts(path.split('.')), path, got, expected });
  const reportChain: Report = (path, got, expected) =>
    void faults.push({ where: whereaboutsOfChains(path.split('.')), path, got, expected });
  keyFaults(config, report);
  guardFaults(config, report);
  portFaults(config, report);
  feeFaults(config, report);
  chainFaults(config, report, reportChain);
  return faults;
}

function keyFaults({ keys, ocr2 }: Checked, report: Report) {
  if (!keys) return;
  const remote = {
    'keys.onchain_private_key': keys.onchain_private_key.kms_key_id,
    'keys.transmitter_private_key': keys.transmitter_private_key.kms_key_id,
  };
  const isRemote = (path: string) => Object.entries(remote).some(([at, name]) => name && path.startsWith(`${at}.`));
  const [onchain, transmitter] = Object.values(remote);
  if (onchain !== undefined && onchain === transmitter)
    report('keys.transmitter_private_key.kms_key_id', 'the key that signs prices', 'another key');
  const plain = {
    'keys.offchain_private_key': keys.offchain_private_key,
    'keys.onchain_private_key.private_key': keys.onchain_private_key.private_key,
    'keys.transmitter_private_key.private_key': keys.transmitter_private_key.private_key,
  };
  const given = Object.entries(plain).filter(([, value]) => value !== undefined);
  if (ocr2 && !ocr2.development_mode)
    for (const [path] of given)
      report(path, 'a key in the clear', 'ocr2.development_mode = true, or better keys.key_file_path');
  for (const [path] of given) if (isRemote(path)) report(path, 'a second key', 'either kms_key_id or private_key');
  if (keys.key_file_path !== undefined) {
    for (const [path] of given) report(path, 'a second key', 'either keys.key_file_path or keys in the clear');
    if (keys.password_file === undefined)
      report('keys.password_file', 'nothing', 'the file with the password of keys.key_file_path');
  } else if (given.length === 0)
    report('keys.key_file_path', 'nothing', 'the path of a key bundle (castellan-validator keys generate)');
  else
    for (const [path, value] of Object.entries(plain))
      if (value === undefined && !isRemote(path))
        report(path, 'nothing', 'all three keys, when they are given in the clear');
}

function guardFaults({ ocr2 }: Checked, report: Report) {
  if (ocr2?.empty_guard === 'sign' && !ocr2.development_mode)
    report('ocr2.empty_guard', 'sign', '"refuse" or "wait", or ocr2.development_mode = true');
}

function portFaults({ monitoring }: Checked, report: Report) {
  if (!monitoring || monitoring.metrics_port === 0 || monitoring.metrics_port !== monitoring.health_port) return;
  report('monitoring.health_port', String(monitoring.health_port), 'another port than monitoring.metrics_port');
}

function feeFaults({ transmitter }: Checked, report: Report) {
  if (!transmitter) return;
  const { max_fee_gwei, max_tip_gwei, min_tip_gwei } = transmitter;
  if (Number(max_tip_gwei) > Number(max_fee_gwei))
    report('transmitter.max_tip_gwei', max_tip_gwei, `at most transmitter.max_fee_gwei (${max_fee_gwei})`);
  if (Number(min_tip_gwei) > Number(max_tip_gwei))
    report('transmitter.min_tip_gwei', min_tip_gwei, `at most transmitter.max_tip_gwei (${max_tip_gwei})`);
}

function chainFaults({ chains, ocr2 }: Checked, report: Report, reportChain: Report) {
  if (!chains) return;
  const ids = new Set<number>();
  chains.forEach((chain, i) => {
    if (ids.has(chain.chain_id)) reportChain(`chains.${i}.chain_id`, String(chain.chain_id), 'each chain once');
    ids.add(chain.chain_id);
    const strategies = new Set<string>();
    chain.supported_strategies.forEach((strategy, j) => {
      if (strategies.has(strategy.toLowerCase()))
        reportChain(`chains.${i}.supported_strategies.${j}`, strategy, 'each strategy once');
      strategies.add(strategy.toLowerCase());
    });
    if (ocr2?.development_mode && publicChains.has(chain.chain_id))
      report('ocr2.development_mode', 'true', `false, because ${chain.name} (${chain.chain_id}) is a public chain`);
  });
  if (ocr2 && !ids.has(ocr2.config_sync_chain_id))
    report(
      'ocr2.config_sync_chain_id',
      String(ocr2.config_sync_chain_id),
      `a chain of the chains file (${[...ids].join(', ')})`,
    );
}
