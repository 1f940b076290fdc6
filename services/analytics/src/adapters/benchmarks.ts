import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { Address, ChainId } from '@castellan/contracts';
import { z } from 'zod';
import { type BenchmarkSource, fileBenchmark, YieldSourceBenchmark } from '../domain/benchmark.ts';
import { benchmarkOfFile } from '../domain/benchmark-file.ts';

const of = { chain_id: ChainId, asset: Address, name: z.string().min(1).max(60) };

/** One benchmark of `BENCHMARKS`: a file of values, or the share price of a yield source that the asset's vaults hold. */
const Entry = z.union([
  z.strictObject({ ...of, measure: z.enum(['yearly_rate', 'level']), file: z.string().min(1) }),
  z.strictObject({ ...of, version: z.string().min(1).max(40), yield_source: Address }),
]);

/** Files that hold a series; a name with another end is more likely a mistake than one of them. */
const endings = ['.csv', '.json'];

/** The benchmark of an asset's vaults, for one history; undefined where the operator gave none. */
export type ConfiguredBenchmarks = (chainId: number, asset: string) => BenchmarkSource | undefined;

type Read = (path: string) => string;
const readText: Read = (path) => readFileSync(path, 'utf8');

function listOf(source: string, read: Read): z.infer<typeof Entry>[] {
  const text = source.trim();
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith('[') ? text : read(text));
  } catch (error) {
    throw new Error(`BENCHMARKS cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const parsed = z.array(Entry).safeParse(value);
  if (!parsed.success) throw new Error(`BENCHMARKS is not usable:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

function sourceOf(entry: z.infer<typeof Entry>, read: Read): () => BenchmarkSource {
  if ('yield_source' in entry) {
    const { name, version, yield_source: address } = entry;
    return () => new YieldSourceBenchmark({ name, version, address });
  }
  const { file, name, measure } = entry;
  if (!endings.includes(extname(file)))
    throw new Error(`BENCHMARKS names ${file}; a series is a file whose name ends in ${endings.join(' or ')}`);
  const series = fileBenchmark(benchmarkOfFile({ file: basename(file), name, measure }, read(file)));
  return () => series;
}

/**
 * Reads `BENCHMARKS`: a JSON list of benchmarks by chain and asset, or the path of a file with one; files of values are read at once.
 * @throws {Error} naming what is wrong and what is allowed: the entry, or the line of a file.
 */
export function loadBenchmarks(source: string | undefined, read: Read = readText): ConfiguredBenchmarks {
  const sources = new Map<string, () => BenchmarkSource>();
  for (const entry of source === undefined ? [] : listOf(source, read)) {
    const key = `${entry.chain_id}:${entry.asset.toLowerCase()}`;
    if (sources.has(key))
      throw new Error(`BENCHMARKS has two entries for asset ${entry.asset} on chain ${entry.chain_id}`);
    sources.set(key, sourceOf(entry, read));
  }
  return (chainId, asset) => sources.get(`${chainId}:${asset.toLowerCase()}`)?.();
}
