import type { Analyst } from '../analyst.ts';
import { analyse } from './analyse.ts';
import { answer } from './answer.ts';

/** The analyst that is always there: rules over figures. Its version changes with what it writes. */
export const rulesAnalyst = (): Analyst => ({
  provider: 'built-in',
  model: 'rules-2',
  analyse: (context) => Promise.resolve(analyse(context)),
  answer,
});
