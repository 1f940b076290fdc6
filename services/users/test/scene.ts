import { Address, type LogEntry } from '@castellan/contracts';
import { type Call, connectMongo, createLogger, createRegistry, ensureIndexes } from '@castellan/service-kit';
import { anAddress, storedOutbox, type TestStore } from '@castellan/testkit';
import { AuditLog } from '../src/audit/adapters/audit-log.mongo.ts';
import { LogFollower } from '../src/audit/follower/log-follower.ts';
import { openCollections } from '../src/collections.ts';

/** The service's parts on a real document store; the vaults service, whose chain roles and log it reads, is stood in for. */

export const chain_id = 31337;
export const [vault_address, otherVault, strategy, primary, secondary, viewer, stranger] = [
  0xa1, 0xa2, 0xa3, 0xb1, 0xb2, 0xb3, 0xb4,
].map(anAddress) as unknown as [string, string, string, string, string, string, string];
export const vault = { chain_id, vault_address };

const at = '2026-01-01T00:00:00.000Z';
const log = createLogger({ service: 'test', level: 'silent' });
let databases = 0;

type Bound = { chain_id: number; vault_address: string };

/** A call of the wallet; both vaults have the same managers. */
export const callOf = (wallet: string | undefined, bound?: Bound, provenOn?: number): Call => ({
  caller:
    wallet === undefined
      ? undefined
      : {
          wallet_address: wallet,
          sid: 's',
          issuer: 'test',
          ...(bound ? { vault: bound } : {}),
          ...(provenOn === undefined ? {} : { chain_id: provenOn }),
        },
  requestId: 'request-1',
  callAction: (async (_action: unknown, params: Bound) => ({
    ...params,
    primary: { wallet_address: primary, granted_by: null, granted_at: at },
    secondary: [{ wallet_address: secondary, granted_by: primary, granted_at: at }],
    block_number: 1,
  })) as unknown as Call['callAction'],
});

export type FakeLog = {
  entries: LogEntry[];
  indexed: number | null;
  /** The most entries in one answer. */
  page: number;
  reads: number[];
};
type Draft = Partial<LogEntry> & { name: string };

/** An entry behind the others; `from` adds the observation of its transaction. */
export function addTo({ entries }: FakeLog, block: number, { from, ...draft }: Draft & { from?: string }): LogEntry {
  const hash = `0x${block.toString(16).padStart(64, '0')}`;
  const entry: LogEntry = {
    chain_id,
    seq: entries.length + 1,
    kind: 'log',
    block_number: block,
    block_hash: hash,
    block_time: new Date(Date.UTC(2026, 0, 1) + block * 1000).toISOString(),
    tx_hash: `0x${(block * 1000 + entries.length).toString(16).padStart(64, '0')}`,
    log_index: entries.length,
    address: strategy,
    contract: 'aggregator',
    vault_address,
    args: {},
    ...draft,
  };
  entries.push(entry);
  if (from !== undefined) {
    const args = { from, vault_addresses: [vault_address] };
    const observed = {
      kind: 'observation',
      log_index: null,
      address: null,
      contract: null,
      vault_address: null,
    } as const;
    entries.push({ ...entry, ...observed, seq: entries.length + 1, name: 'transaction_observed', args });
  }
  return entry;
}

export const rollBack = (fake: FakeLog, block: number): LogEntry =>
  addTo(fake, block, { kind: 'rollback', name: 'rollback', tx_hash: null, vault_address: null, contract: null });

const answer = ({ entries, indexed, page, reads }: FakeLog, after: number) => {
  reads.push(after);
  return {
    entries: entries.filter(({ seq }) => seq > after).slice(0, page),
    head_seq: entries.length,
    indexed_block: indexed,
    indexed_time: null,
  };
};

/** Everything on a database of its own. */
export async function openScene(store: TestStore) {
  databases += 1;
  const database = `${store.database}_${databases}`;
  const mongo = await connectMongo({ uri: store.uri, database, registry: createRegistry('test') });
  const collections = openCollections(mongo);
  await ensureIndexes(mongo);
  const auditLog = new AuditLog(collections);
  const outbox = storedOutbox(mongo);
  const now = () => new Date(at);
  const fake: FakeLog = { entries: [], indexed: null, page: 1000, reads: [] };
  const chains = { chains: [{ chain_id }] };
  const callAction = (async ({ name }: { name: string }, params: { after_seq: number }) =>
    name === 'v1.vaults.chains' ? chains : answer(fake, params.after_seq)) as unknown as Call['callAction'];
  const follower = (through: AuditLog = auditLog) =>
    new LogFollower({ collections, auditLog: through, mongo, callAction, log });
  const storedRows = () =>
    collections.audit
      .find({}, { projection: { _id: 0 } })
      .sort({ seq: 1 })
      .toArray();
  const checksum = (text: string) => Address.parse(text);
  return { mongo, collections, auditLog, outbox, now, fake, follower, storedRows, checksum, log };
}
export type Scene = Awaited<ReturnType<typeof openScene>>;
