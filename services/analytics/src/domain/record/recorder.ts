import type { Fact } from '../facts.ts';
import type { VaultHistory } from '../history.ts';

/** What one kind of event does to the history of its vault. */
export type Recorder = (history: VaultHistory, fact: Fact) => void;
