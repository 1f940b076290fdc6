import type { LogEntry } from '@castellan/contracts';
import { z } from 'zod';
import { globalVetoOf } from './from-log.ts';

/** A change of the veto of a chain's global hooks root: which entry of the log it is, when, and in which block. */
export const GlobalVeto = z.object({ seq: z.int(), block: z.int(), time: z.int(), on: z.boolean() });
export type GlobalVeto = z.infer<typeof GlobalVeto>;

/** The changes that stand after one more entry of the log: a rollback takes those of its blocks. */
export function vetoesAfter(before: readonly GlobalVeto[], entry: LogEntry): readonly GlobalVeto[] {
  const { kind, seq, block_number: block, block_time } = entry;
  if (kind === 'rollback') return before.filter((veto) => veto.block < block);
  const event = globalVetoOf(entry);
  if (event?.type !== 'veto') return before;
  return [...before, { seq, block, time: Math.floor(Date.parse(block_time) / 1000), on: event.on }];
}
