import type { PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { verifyExport } from '../../services/users/src/audit/verify/verify.ts';
import { baseUrl, chain, until, untilRead } from '../system/actors.ts';
import { figuresAt, newestBlock, rebuildAnalytics } from '../system/analytics.ts';
import { chainKeys, joinBus, logAfter, logKeys } from '../system/chain-log.ts';
import { signIn } from './sign-in.ts';

/** A statement about the system after the faults, and what was found; it holds when nothing speaks against it. */
export type Verdict = { what: string; found: string; faults: string[] };

const recoveredMs = 300_000;

/** The log has every log of the vaults' contracts, each once, and none that the chain does not have. */
export async function logEqualsChain(vaults: readonly PublicVault[]): Promise<Verdict> {
  const head = await chain().getBlockNumber();
  const client = createClient({ baseUrl: baseUrl() });
  const indexed = async () => (await client.chains({}).catch(() => undefined))?.chains[0]?.indexed_block ?? -1;
  await untilRead(`block ${head} indexed`, indexed, (block) => block >= Number(head), recoveredMs);
  const bus = await joinBus();
  try {
    const ours = logKeys(await logAfter(bus, 0), vaults, head);
    const theirs = await chainKeys(vaults, head);
    const known = new Set(ours);
    const wanted = new Set(theirs);
    return {
      what: 'the log equals eth_getLogs',
      found: `${ours.length} logs up to block ${head}`,
      faults: [
        ...theirs.filter((key) => !known.has(key)).map((key) => `missing ${key}`),
        ...ours.filter((key) => !wanted.has(key)).map((key) => `not on the chain ${key}`),
        ...ours.filter((key, place) => ours[place - 1] === key).map((key) => `twice ${key}`),
      ],
    };
  } finally {
    await bus.stop();
  }
}

/** The audit chain of each vault, by what its export says of itself. */
export async function auditVerifies(vaults: readonly PublicVault[]): Promise<Verdict> {
  const { token } = await signIn(1);
  const findings = await Promise.all(
    vaults.map(async ({ chain_id, vault_address, name }) => {
      const url = `${baseUrl()}/api/v1/audit/export?chain_id=${chain_id}&vault_address=${vault_address}&format=json`;
      const text = await until(
        `the export of ${name}`,
        async () => {
          const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
          return answer.ok && answer.text();
        },
        recoveredMs,
      );
      return { name, ...verifyExport(text, { head: undefined, anyLayout: false, filtered: false }) };
    }),
  );
  return {
    what: 'the audit chain verifies',
    found: findings.map(({ name, line }) => `${name} ${line}`).join('; '),
    faults: findings.filter(({ ok }) => !ok).map(({ name, line }) => `${name} ${line}`),
  };
}

/** The figures of each vault are those that a projection of the whole log from its beginning gives. */
export async function analyticsEqualRebuild(vaults: readonly PublicVault[]): Promise<Verdict> {
  const asked = await Promise.all(
    vaults.map(async ({ chain_id, vault_address, name }) => {
      const vault = `${chain_id}/${vault_address}`;
      // Before the newest that is answered, whose state may still be observed.
      const block = (await newestBlock(vault, recoveredMs)) - 1;
      const ask = () => figuresAt(vault, block).catch(() => undefined);
      return { name, block, ask, before: await until('its figures', ask, recoveredMs) };
    }),
  );
  const printed = await rebuildAnalytics(vaults[0]?.chain_id ?? 0);
  const changed = await Promise.all(
    asked.map(async ({ name, block, ask, before }) => {
      const after = await until('answers again', ask, recoveredMs);
      return before.flatMap((text, place) =>
        text === after[place] ? [] : [`${name} at ${block}: ${text} became ${after[place]}`],
      );
    }),
  );
  return {
    what: 'analytics equal a rebuild',
    found: printed.trim().split('\n').at(-1) ?? '',
    faults: changed.flat().map((text) => text.slice(0, 2_000)),
  };
}
