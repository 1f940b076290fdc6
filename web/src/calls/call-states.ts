import { isDepositorKind, type PreparedKind } from '@castellan/contracts';
import type { Api } from '../client/api.ts';
import type { Tone } from '../design/pill.tsx';
import {
  merklePath,
  pausePath,
  redemptionsPath,
  settingsPath,
  usersPath,
  vaultPath,
  yieldSourcesPath,
} from '../navigation/paths.ts';

export type Prepared = Awaited<ReturnType<Api['getPrepared']>>;
export type State = Prepared['status'];

export const stateWords: Record<State, { word: string; tone: Tone; meaning: string }> = {
  prepared: { word: 'Prepared', tone: 'info', meaning: 'Nothing was sent yet.' },
  broadcast: { word: 'Sent', tone: 'info', meaning: 'It waits for a block.' },
  mined: { word: 'Mined', tone: 'info', meaning: 'A block has it; a reorg could still take it back.' },
  confirmed: {
    word: 'Confirmed',
    tone: 'info',
    meaning: 'It is final. Its effect is being checked on chain.',
  },
  verified: { word: 'Verified', tone: 'ok', meaning: 'The chain shows the promised effect.' },
  failed_post_condition: {
    word: 'Not as promised',
    tone: 'critical',
    meaning: 'It is final, but the chain does not show the promised effect. Check before you go on.',
  },
  reverted: { word: 'Reverted', tone: 'critical', meaning: 'The chain refused it. Nothing changed.' },
  replaced: {
    word: 'Replaced',
    tone: 'warn',
    meaning: 'Another transaction replaced it. This one will not happen.',
  },
  expired: { word: 'Expired', tone: 'plain', meaning: 'It was not sent in time. Nothing changed.' },
};

const ends: readonly State[] = ['verified', 'failed_post_condition', 'reverted', 'replaced', 'expired'];
/** True once nothing more will happen to the call. */
export const isOver = (state: State): boolean => ends.includes(state);

/** Path of the page that prepares calls of a kind. */
export function preparePathOf(kind: PreparedKind): (chain: string, address: string) => string {
  if (isDepositorKind(kind)) return vaultPath;
  if (kind === 'pause' || kind === 'unpause') return pausePath;
  if (kind === 'fulfil_redemptions' || kind === 'fulfil_cancellations') return redemptionsPath;
  if (kind.includes('yield_source')) return yieldSourcesPath;
  if (kind.includes('hook')) return merklePath;
  return kind.includes('manager') || kind === 'cancel_primary_change' ? usersPath : settingsPath;
}
