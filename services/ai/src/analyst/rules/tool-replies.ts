import type { ContextFigure } from '../../domain/figure.ts';
import { groundingOf } from '../../domain/grounding.ts';
import { reviewPath } from '../../tools/prepare-change.ts';
import { titleOfEvent } from '../../tools/read-tools.ts';
import type { Asked } from './leads.ts';
import { kindIn, needsNothing } from './prepared-kind.ts';
import { latenessOf, whatIfOf } from './price.ts';
import type { Reply } from './replies.ts';
import { table, tableOf } from './table.ts';
import type { Brought, toolRunner } from './tool-runner.ts';
import { either, type Phrase, plain, safeTitle, together, writerOn } from './writer.ts';

export type Call = ReturnType<typeof toolRunner>;
type ToolAsked = Asked & { call: Call; text: string };

const groundOf = ({ figures, identifiers }: Brought) => ({ figures, identifiers: new Set(identifiers) });
/** Why a tool brought nothing, instead of an answer. */
const refused = (error: string, ask: readonly string[]): Reply => ({
  lead: plain(`I could not look this up. ${error}`),
  table: null,
  ask,
});

const day = 86_400_000;
/** Two windows of the same length, one right behind the other. */
function windowsBefore(asOf: string, days: number) {
  const end = Date.parse(asOf);
  const at = (ago: number) => new Date(end - ago * days * day).toISOString();
  return { first: { from: at(2), to: at(1) }, second: { from: at(1), to: at(0) } };
}

async function bankrun({ question, call }: ToolAsked): Promise<Reply> {
  const ask = ['How concentrated are the holders?', 'Which redemptions are pending?'];
  const brought = await call('simulate_run', {
    ...(question.largest === null ? {} : { top_holders: Math.min(1000, Math.max(1, question.largest)) }),
    ...(question.hours === null ? {} : { hours: Math.min(720, Math.max(1, question.hours)) }),
  });
  if (brought.error !== null) return refused(brought.error, ask);
  const { phrase, figure } = writerOn(groundOf(brought));
  const of = (name: string) => figure(`risk/run.${name}`);
  const lead = phrase`If the largest holders asked for everything at once, they would ask for ${of('demand')}; ${of('paid_now')} would be paid at once and ${of('shortfall')} not within the time.`;
  return {
    lead: either(lead) ?? plain('The run was simulated.'),
    table: tableOf(brought.figures, groundOf(brought)),
    ask,
  };
}

const before = 'first window.';
const latest = 'second window.';

/** What two windows have in common, each figure of the later one beside the one before it. */
function pairs(brought: Brought): Phrase | null {
  const { phrase, figure } = writerOn(groundOf(brought));
  const rows = brought.figures
    .filter(({ path, unit }) => path.startsWith(latest) && unit !== 'time')
    .map((one) => {
      const label = one.label.replace(/, second window$/, '');
      return phrase`| ${label} | ${one} | ${figure(`${before}${one.path.slice(latest.length)}`)} |`;
    });
  return table(['Figure', 'Latest', 'Before'], rows);
}

async function compare({ topic, question, call }: ToolAsked): Promise<Reply> {
  const days = question.window === 'd30' ? 30 : 7;
  const ask = ['Which source carries the yield?', 'Who came and who left?'];
  const brought = await call('compare_periods', windowsBefore(topic.context.asOf, days));
  if (brought.error !== null) return refused(brought.error, ask);
  const { phrase, figure } = writerOn(groundOf(brought));
  const lead = phrase`In the last ${String(days)} days the vault returned ${figure(`${latest}performance.twr`)}, against ${figure(`${before}performance.twr`)} in the ${days === 7 ? 'week' : 'month'} before.`;
  const other = plain(`The last ${days} days stand beside the ${days === 7 ? 'week' : 'month'} before.`);
  return { lead: lead ?? other, table: pairs(brought), ask };
}

/** What happened, behind the time at which it did. */
function events(brought: Brought): Phrase | null {
  const { phrase } = writerOn(groundOf(brought));
  const rows = brought.figures.map(
    (one) => phrase`| ${one} | ${one.label.replace(/^(?:time of (?:a )?|when )/, '')} |`,
  );
  return table(['Time', 'Event'], rows);
}

/**
 * What an event of the timeline is called: its title, or of a title with a number that no figure bears out its first sentence, or its
 * kind. The first of them that can be written is.
 */
function titlesOf({ figures, identifiers, untrusted }: Brought): { time: ContextFigure; called: Phrase[] }[] {
  const known = new Set(identifiers);
  const titles = untrusted.filter(({ what }) => what === titleOfEvent).map(({ text }) => text);
  return figures
    .filter(({ unit }) => unit === 'time')
    .map((time, index) => {
      const title = safeTitle(titles[index] ?? '');
      const first = safeTitle(title?.split(/(?<=[.!?])\s/)[0] ?? '');
      const kind = time.label.replace(/^time of /, '');
      const own = figures.filter(({ path }) => path !== time.path && path.startsWith(time.path.replace(/t$/, '')));
      const called = [title, first, kind].filter((text) => text !== null);
      return { time, called: called.map((text) => ({ text, figures: groundingOf(text, own, known).cited })) };
    });
}

async function timeline({ call }: ToolAsked): Promise<Reply> {
  const ask = ['Is the price on time?', 'Who are the managers?'];
  const brought = await call('get_timeline', {});
  if (brought.error !== null) return refused(brought.error, ask);
  const items = titlesOf(brought);
  const [newest] = items;
  const { phrase } = writerOn(groundOf(brought));
  const lead =
    newest === undefined
      ? plain('Nothing has happened yet.')
      : either(...newest.called.map((called) => phrase`Latest, at ${newest.time}: ${called}.`));
  const rows = items.map(({ time, called }) => either(...called.map((one) => phrase`| ${time} | ${one} |`)));
  return {
    lead: lead ?? plain('What happened lately, newest first.'),
    table: table(['Time', 'Event'], rows),
    ask,
  };
}

async function validators({ topic, call }: ToolAsked): Promise<Reply> {
  const ask = ['What would the next price do?', 'When is the next price due?'];
  const brought = await call('get_validators_and_transmissions', {});
  if (brought.error !== null) return refused(brought.error, ask);
  const late = latenessOf(topic);
  const { silent_nodes: silent } = topic.context.answers.transmissions.next;
  const missing = silent.length === 0 ? 'None of them is missing.' : 'Some of them are missing from the latest rounds.';
  const lead = late ?? together([plain(`The validators report on time. ${missing}`)]);
  return { lead, table: events(brought), ask };
}

async function whatIf({ topic, call }: ToolAsked): Promise<Reply> {
  const ask = ['Is the price on time?'];
  const brought = await call('what_if_price', {});
  if (brought.error !== null) return refused(brought.error, ask);
  const outcome = whatIfOf(topic) ?? plain('There is no calculated price to report.');
  return { lead: outcome, table: tableOf(brought.figures, groundOf(brought)), ask };
}

async function myVaults({ call }: ToolAsked): Promise<Reply> {
  const ask = ['Give me a summary.'];
  const brought = await call('list_my_vaults', {});
  if (brought.error !== null) return refused(brought.error, ask);
  const { phrase, figure } = writerOn(groundOf(brought));
  const lead = phrase`The number of vaults where you have a role is ${figure('vaults.total')}; the table has the TVL and APY of each.`;
  return { lead: lead ?? plain('Your vaults:'), table: tableOf(brought.figures, groundOf(brought)), ask };
}

async function prepare({ call, text }: ToolAsked): Promise<Reply> {
  const kind = kindIn(text);
  if (kind === null || !needsNothing(kind)) {
    const which = kind === null ? 'Name the change, e.g. skim fees.' : 'This change needs more than its name.';
    return { lead: plain(`${which} The pages under Operate ask for what it needs.`), table: null, ask: [] };
  }
  const brought = await call('prepare_change', { kind, args: {} });
  const [id] = brought.identifiers.filter((each) => !each.startsWith('0x'));
  if (brought.error !== null || id === undefined)
    return {
      lead: plain(`It could not be prepared. ${brought.error ?? ''}`),
      table: null,
      ask: ['Can the fee be taken?'],
    };
  const link = `Prepared; nothing is changed yet. Review and sign it: [${reviewPath(id)}](${reviewPath(id)})`;
  return { lead: plain(link), table: tableOf(brought.figures, groundOf(brought)), ask: [] };
}

/** Answers that need a tool besides the context. */
export const toolReplies = { bankrun, compare, timeline, validators, what_if: whatIf, my_vaults: myVaults, prepare };
