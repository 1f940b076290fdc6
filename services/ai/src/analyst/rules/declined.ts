import { windows as windowWords } from '../../context/catalogue.ts';
import type { Outside } from './decline-reason.ts';
import type { Recognised, Understood } from './recognise.ts';
import type { Reply } from './replies.ts';
import { listed } from './topic.ts';
import { type Phrase, plain } from './writer.ts';

const introduction =
  'I am the built-in analyst: rules over the figures of this vault, no language model. Every number I write is a figure of the dashboard.';
const abilities = [
  '- performance: APY and returns by period, fees in APY, and what changed TVL',
  '- risk: the score, drawdowns, volatility, concentration',
  '- yield sources: which carries the yield, and how much each holds',
  '- the price: whether it is late or stale, why, when it expires, and what the next report would do',
  '- fees: what is charged, what is pending, what was taken, why a skim is blocked',
  '- liquidity: what can be paid on demand, pending redemptions, and a run of the largest holders',
  '- holders: how many, who came, who left, retention',
  '- upkeep: its balance, runway and cost, and gas',
  '- roles, the timeline, the validators, your vaults, and preparing a change for you to sign',
].join('\n');
const help = `I can answer questions on:\n${abilities}`;

const reasons: Readonly<Record<Outside | 'elsewhere', string>> = {
  future: 'it is about the future, and I know only what has happened',
  advice: 'it asks for advice, and I only report figures. The decision is yours',
  own: 'I know the figures of the vault, and not those of your own position',
  meaning: 'I report figures, and do not explain terms. The dashboard explains a term when you point at it',
  past: 'I know the figures as they are now and over windows that end now, not those of another day',
  chat: 'I answer questions on the figures of this vault, and on nothing else',
  action: 'I change nothing and send nothing. I can prepare some changes for you to sign, such as a fee skim',
  howto: 'I report figures, and do not explain how something is done. The page of each task does',
  rules: 'how I work is fixed, and I answer questions on the figures of this vault only',
  elsewhere: 'I know the figures of this vault, and not those of other products, chains or tokens',
};

/** Questions that are answered, offered with a refusal. */
const offered: Readonly<Record<Outside | 'elsewhere' | 'missing' | 'window', readonly string[]>> = {
  future: ['What is the APY?', 'What would the next price do?', 'Simulate a run of the largest holders.'],
  advice: ['How is the risk?', 'Which source carries the yield?', 'Compare the last week with the week before.'],
  own: ['What is the return since inception?', 'What is the price per share?', 'Which are my vaults?'],
  meaning: ['Give me a summary.', 'How is the risk?'],
  past: ['Compare the last week with the week before.', 'What happened lately?'],
  chat: ['Give me a summary.', 'How is the risk?'],
  action: ['Prepare a fee skim.', 'What happened lately?'],
  howto: ['Prepare a fee skim.', 'Who are the managers?'],
  rules: ['Give me a summary.', 'How is the risk?'],
  elsewhere: ['Which are my vaults?', 'Which source carries the yield?'],
  missing: ['Give me a summary.', 'How is the risk?'],
  window: ['Give me a summary.', 'Compare the last week with the week before.'],
};

const declining = (lead: string, ask: readonly string[]): Reply => ({ lead: plain(lead), table: null, ask });

type Declined = Exclude<Recognised, Understood>;

/** Says, behind an answer to a part of a question, why the rest of it has none. */
export function restOf(found: Declined): Phrase {
  const start = 'I cannot answer the rest of your question';
  switch (found.declined) {
    case 'unknown':
      return plain(`${start}.`);
    case 'missing':
      return plain(`${start}. ${found.reason}`);
    case 'window':
      return plain(`${start} over the time you name.`);
    default:
      return plain(`${start}: ${reasons[found.declined]}.`);
  }
}

/** Says that a question is not answered, why, and what is. */
export function declinedReply(found: Declined): Reply {
  switch (found.declined) {
    case 'unknown':
      return declining(`I cannot answer that. ${help}`, ['Give me a summary.', 'Is the price on time?']);
    case 'missing':
      return declining(`I cannot answer that. ${found.reason}`, offered.missing);
    case 'window': {
      const has = found.has.filter((window) => window !== 'current').map((window) => windowWords[window] ?? '');
      const known = has.length === 0 ? 'only as it is now' : listed(has);
      return declining(`I cannot answer that over the time you name. I know it ${known}.`, offered.window);
    }
    default:
      return declining(`I cannot answer that: ${reasons[found.declined]}.`, offered[found.declined]);
  }
}

export const helpReply: Reply = declining(help, ['Give me a summary.', 'Is the price on time?']);
export const selfReply: Reply = declining(`${introduction}\n\n${help}`, ['Give me a summary.']);
