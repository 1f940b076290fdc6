import type { Address } from 'viem';
import { ByteReader, ByteWriter, CodecError } from './bytes.ts';
import { MAX_ENTRIES } from './observation.ts';

/** One price of a report. The strategy is lower case. */
export type ReportEntry = { chainId: number; strategy: Address; pps: bigint; nonce: bigint; timestamp: bigint };

const FORMAT = 1;
const ENTRY_BYTES = 8 + 20 + 16 + 8 + 8;

/** What `entries` entries take. */
export const reportBytes = (entries: number): number => 3 + entries * ENTRY_BYTES;

/** How many entries a report of this length has; 0 for no length of a report. */
export const entriesIn = ({ length }: Uint8Array): number => {
  const entries = (length - reportBytes(0)) / ENTRY_BYTES;
  return Number.isInteger(entries) && entries > 0 ? entries : 0;
};

/** By chain, then by address, as the contract wants them. */
export const compareEntries = (a: ReportEntry, b: ReportEntry): number =>
  a.chainId - b.chainId || (BigInt(a.strategy) < BigInt(b.strategy) ? -1 : 1);

/** @throws CodecError when a value does not fit or the order is not the canonical one. */
export function encodeReport(entries: readonly ReportEntry[]): Uint8Array {
  requireCanonical(entries);
  const writer = new ByteWriter();
  writer.uint(FORMAT, 1);
  writer.uint(entries.length, 2);
  for (const { chainId, strategy, pps, nonce, timestamp } of entries) {
    writer.uint(chainId, 8);
    writer.hex(strategy, 20);
    writer.uint(pps, 16);
    writer.uint(nonce, 8);
    writer.uint(timestamp, 8);
  }
  return writer.result();
}

/** Reads a report to its last byte; there is one encoding of each. @throws CodecError and nothing else. */
export function decodeReport(bytes: Uint8Array): ReportEntry[] {
  if (bytes.length > reportBytes(MAX_ENTRIES)) throw new CodecError('The report is too large');
  const reader = new ByteReader(bytes);
  const format = reader.number(1);
  if (format !== FORMAT) throw new CodecError(`Reports of format ${format} are not known`);
  const entries = Array.from({ length: reader.number(2) }, () => ({
    chainId: reader.number(8),
    strategy: reader.hex(20),
    pps: reader.uint(16),
    nonce: reader.uint(8),
    timestamp: reader.uint(8),
  }));
  reader.end();
  requireCanonical(entries);
  return entries;
}

function requireCanonical(entries: readonly ReportEntry[]): void {
  if (entries.length === 0 || entries.length > MAX_ENTRIES)
    throw new CodecError(`A report of ${entries.length} entries`);
  for (const [index, entry] of entries.entries()) {
    const before = entries[index - 1];
    const ascends =
      !before ||
      before.chainId < entry.chainId ||
      (before.chainId === entry.chainId && BigInt(before.strategy) < BigInt(entry.strategy));
    if (!ascends) throw new CodecError('Entries do not ascend');
    if (entry.pps <= 0n || entry.timestamp <= 0n) throw new CodecError(`${entry.strategy} has no price or no time`);
  }
}
