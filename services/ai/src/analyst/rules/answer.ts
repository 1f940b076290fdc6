import type { Citation } from '@castellan/contracts';
import type { ContextFigure } from '../../domain/figure.ts';
import { say } from '../../domain/say.ts';
import { reviewPath } from '../../tools/prepare-change.ts';
import type { Rights, Tool } from '../../tools/tool.ts';
import type { AnswerEvent, Answered, Question } from '../analyst.ts';
import { sections, summaryOf, topicOf } from './analyse.ts';
import { type Intent, intentOf, needsNothing } from './intents.ts';
import { churn, flows, instant, upkeep } from './liquidity.ts';
import { growth, standing } from './performance.ts';
import { aboutPrice, latenessOf, whatIfOf } from './price.ts';
import { drawdowns, holders } from './risk.ts';
import { allowedPerQuestion, type Brought, toolRunner } from './tool-runner.ts';
import type { Topic } from './topic.ts';
import { citationsOf, either, type Phrase, plain, together, writerOn } from './writer.ts';

const introduction =
  'I am the built-in analyst: rules over the figures of this vault, no language model. Every number I write is a figure of the dashboard.';
const abilities = [
  '- performance: APY and returns by period, and what drove TVL',
  '- risk: the score, drawdowns, volatility, concentration',
  '- yield sources: which source carries the yield',
  '- the price: whether it is late or stale, why, and what the chain would do with the next',
  '- fees: what waits, what was taken, why a skim is blocked',
  '- liquidity: what can be paid at once, and a run of the largest holders',
  '- holders: who came, who left, retention',
  '- the timeline, the validators, your vaults, and preparing a change for you to sign',
].join('\n');
const help = plain(`I can answer questions on:\n${abilities}`);

type Ask = { topic: Topic; call: ReturnType<typeof toolRunner> };
type Reply = { body: Phrase; ask: readonly string[] };

const day = 86_400_000;
/** Two windows of the same length, one right behind the other. */
function windowsBefore(asOf: string, days: number) {
  const end = Date.parse(asOf);
  const at = (ago: number) => new Date(end - ago * days * day).toISOString();
  return { first: { from: at(2), to: at(1) }, second: { from: at(1), to: at(0) } };
}

const mostBullets = 12;

/** Figures as a list: each behind its own label, those without a value left out. */
function bullets(figures: readonly ContextFigure[], ground: Pick<Brought, 'figures' | 'identifiers'>): Phrase {
  const { phrase } = writerOn({ figures: ground.figures, identifiers: new Set(ground.identifiers) });
  const lines = figures
    .filter((figure) => say(figure) !== null)
    .map((figure) => phrase`- ${figure.label}: ${figure}`)
    .filter((line) => line !== null);
  return together(lines.slice(0, mostBullets), '\n');
}

/** What a tool brought as a list, or why it did not. */
const listOf = (brought: Brought, title: string): Phrase =>
  brought.error === null
    ? together([plain(title), bullets(brought.figures, brought)], '\n')
    : plain(`${title}\n${brought.error}`);

const paragraphs = (...phrases: (Phrase | null)[]): Phrase =>
  together(
    phrases.filter((phrase) => phrase !== null && phrase.text !== ''),
    '\n\n',
  );

async function runAnswer({ topic, call }: Ask, intent: Extract<Intent, { about: 'run' }>): Promise<Reply> {
  const brought = await call('simulate_run', {
    ...(intent.topHolders === null ? {} : { top_holders: Math.min(1000, Math.max(1, intent.topHolders)) }),
    ...(intent.hours === null ? {} : { hours: Math.min(720, Math.max(1, intent.hours)) }),
  });
  const body = paragraphs(listOf(brought, 'If the largest holders asked for everything at once:'), instant(topic));
  return { body, ask: ['How concentrated are the holders?', 'Which redemptions wait?'] };
}

const [before, latest] = ['first window.', 'second window.'] as const;

/** What two windows have in common, each figure of the later one beside the one before it. */
function pairs({ figures, identifiers }: Brought): Phrase {
  const { phrase, figure } = writerOn({ figures, identifiers: new Set(identifiers) });
  const lines = figures
    .filter(({ path, unit }) => path.startsWith(latest) && unit !== 'time')
    .map((one) => {
      const label = one.label.replace(/, second window$/, '');
      return phrase`- ${label}: ${one}, before: ${figure(`${before}${one.path.slice(latest.length)}`)}`;
    });
  return together(lines.slice(0, mostBullets), '\n');
}

async function compareAnswer({ topic, call }: Ask, days: 7 | 30): Promise<Reply> {
  const brought = await call('compare_periods', windowsBefore(topic.context.asOf, days));
  const title = plain(`The last ${days} days, and the ${days === 7 ? 'week' : 'month'} before:`);
  const list = brought.error === null ? pairs(brought) : plain(brought.error);
  const body = paragraphs(together([title, list], '\n'), growth(topic, days === 7 ? 'd7' : 'd30'));
  return { body, ask: ['Which source carries the yield?', 'Who came and who left?'] };
}

/** What happened, behind the time at which it did. */
function events({ figures, identifiers }: Brought): Phrase {
  const { phrase } = writerOn({ figures, identifiers: new Set(identifiers) });
  const lines = figures.map((figure) => phrase`- ${figure}: ${figure.label.replace(/^(?:time of (?:a )?|when )/, '')}`);
  return together(lines.slice(0, mostBullets), '\n');
}

async function timelineAnswer({ call }: Ask): Promise<Reply> {
  const brought = await call('get_timeline', {});
  const list = brought.error === null ? events(brought) : plain(brought.error);
  const body = together([plain('What happened lately, newest first:'), list], '\n');
  return { body, ask: ['Is the price on time?'] };
}

async function transmissionsAnswer({ topic, call }: Ask): Promise<Reply> {
  const brought = await call('get_validators_and_transmissions', {});
  const state = latenessOf(topic) ?? plain('The validators report on time.');
  const list = brought.error === null ? events(brought) : plain(brought.error);
  const latestOnes = together([plain('Transmissions, latest first:'), list], '\n');
  return { body: paragraphs(state, latestOnes), ask: ['What would the next price do?'] };
}

async function whatIfAnswer({ topic, call }: Ask): Promise<Reply> {
  const brought = await call('what_if_price', {});
  const outcome = whatIfOf(topic) ?? plain('There is no calculated price to report.');
  return { body: paragraphs(outcome, listOf(brought, 'In figures:')), ask: ['Why is the price late?'] };
}

async function vaultsAnswer({ call }: Ask): Promise<Reply> {
  const brought = await call('list_my_vaults', {});
  return { body: listOf(brought, 'Vaults where you have a role:'), ask: ['Summarise this vault.'] };
}

async function prepareAnswer({ call }: Ask, { kind }: Extract<Intent, { about: 'prepare' }>): Promise<Reply> {
  if (kind === null || !needsNothing(kind)) {
    const which =
      kind === null ? 'Name the change, e.g. skim fees.' : `A change of this kind takes more than its name.`;
    return { body: plain(`${which} Use the pages under Operate: they ask for what is needed.`), ask: [] };
  }
  const brought = await call('prepare_change', { kind, args: {} });
  const [id] = brought.identifiers.filter((each) => !each.startsWith('0x'));
  if (brought.error !== null || id === undefined)
    return { body: plain(`It could not be prepared. ${brought.error ?? ''}`), ask: ['Can the fee be taken?'] };
  const link = `Prepared, and nothing is changed yet. Review it and sign: [${reviewPath(id)}](${reviewPath(id)})`;
  return { body: paragraphs(plain(link), bullets(brought.figures, brought)), ask: [] };
}

const sectionAsks: Readonly<Record<string, readonly string[]>> = {
  performance: ['Compare the last week with the week before.', 'Which source carries the yield?'],
  risk: ['Explain the latest drawdown.', 'What if the largest holders leave in a run?'],
  yield_sources: ['How did TVL change?', 'How concentrated is the vault?'],
  fees: ['Why can the fee not be taken?', 'What is the high-water mark?'],
  liquidity: ['Simulate a run of the largest holders.', 'Who came and who left?'],
};

async function replyTo(ask: Ask, intent: Intent): Promise<Reply> {
  const { topic } = ask;
  switch (intent.about) {
    case 'self':
      return { body: paragraphs(plain(introduction), help), ask: ['Summarise this vault.'] };
    case 'summary':
      return { body: summaryOf(topic), ask: ['How is the risk?', 'Which source carries the yield?'] };
    case 'section': {
      const section = sections.find(({ id }) => id === intent.id) ?? sections[0];
      return { body: section.about(topic), ask: sectionAsks[intent.id] ?? [] };
    }
    case 'price':
      return { body: aboutPrice(topic), ask: ['Which validators report?', 'What happened lately?'] };
    case 'drawdown':
      return { body: drawdowns(topic), ask: ['How volatile is the vault?'] };
    case 'churn':
      return { body: together([churn(topic), holders(topic)]), ask: ['How did deposits go?', 'Simulate a run.'] };
    case 'upkeep':
      return { body: upkeep(topic), ask: ['Is the price on time?'] };
    case 'flows':
      return {
        body: together([standing(topic), flows(topic), growth(topic, 'd7'), growth(topic, 'd30')]),
        ask: ['Who came and who left?', 'How is the performance?'],
      };
    case 'run':
      return runAnswer(ask, intent);
    case 'compare':
      return compareAnswer(ask, intent.days);
    case 'timeline':
      return timelineAnswer(ask);
    case 'transmissions':
      return transmissionsAnswer(ask);
    case 'what_if':
      return whatIfAnswer(ask);
    case 'my_vaults':
      return vaultsAnswer(ask);
    case 'prepare':
      return prepareAnswer(ask, intent);
    case 'help':
      return { body: help, ask: ['Summarise this vault.', 'Is the price on time?'] };
  }
}

const suggested = (ask: readonly string[]): Phrase | null =>
  ask.length === 0 ? null : plain(`You could also ask:\n${ask.map((one) => `- ${one}`).join('\n')}`);

/** Words with the space behind them, so that pieces put together are the text. */
const pieces = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? [];

type Options = {
  tools: readonly Tool[];
  rights: Rights;
  signal: AbortSignal;
  onEvent: (event: AnswerEvent) => void;
};

/** Answers by rules: what the question is about decides which figures and tools are looked at. */
export async function answer(question: Question, { tools, rights, signal, onEvent }: Options): Promise<Answered> {
  const topic = topicOf(question.context);
  const brought: Brought[] = [];
  const call = toolRunner({ question, tools, rights, signal, onEvent, brought, most: allowedPerQuestion });
  const intent = intentOf(question.text);
  const { body, ask } = await replyTo({ topic, call }, intent);
  const whole = paragraphs(
    either(
      body.text === '' ? null : body,
      plain('There are no figures on this yet: the vault has too little history.'),
    ),
    suggested(ask.filter((one) => one.toLowerCase() !== question.text.trim().toLowerCase())),
  );
  let text = '';
  for (const piece of pieces(whole.text)) {
    if (signal.aborted) break;
    text += piece;
    onEvent({ type: 'text', text: piece });
  }
  const citations: Citation[] = citationsOf(whole);
  return {
    text,
    citations,
    usage: { inputTokens: 0, outputTokens: 0 },
    figures: brought.flatMap(({ figures }) => figures),
    identifiers: brought.flatMap(({ identifiers }) => identifiers),
  };
}
