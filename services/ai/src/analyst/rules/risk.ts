import { isPriceSound, priceTrouble, usableUntil } from './price.ts';
import { listed, missing, note, sizeOf, type Topic } from './topic.ts';
import { either, type Phrase, plain, together } from './writer.ts';

const lowerFirst = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

/** Dangers that set a floor under the score, by their names in the answer. */
const dangers: Readonly<Record<string, string>> = {
  paused: 'a paused vault',
  'expired price': 'an expired price',
  'stale price': 'a stale price',
  'guard off': 'a deviation guard that is switched off',
  'single key': 'a single key that decides alone',
  coverage: 'too little to pay the largest holders at once',
  upkeep: 'an upkeep that is nearly empty',
};

/** Parts of the score by their names in the answer, where those say too little beside each other. */
const parts: Readonly<Record<string, string>> = {
  concentration: 'concentration of sources',
  'coverage of top 3': 'coverage of the 3 largest holders',
};

/** What raises the score most: the danger whose floor it stands on, then, of the parts that the answer names, those that add to it. */
function raisedBy({ context }: Topic): string[] {
  const { score, floors, top_contributors: names, components } = context.answers.risk;
  const floor = floors.find((each) => each.floor === score);
  const addsNothing = new Set(
    components.filter((part) => (part.score ?? 0) * part.weight === 0).map(({ name }) => name),
  );
  return [
    ...(floor === undefined ? [] : [dangers[floor.name] ?? floor.name]),
    ...names.filter((name) => !addsNothing.has(name)).map((name) => parts[name] ?? name),
  ].slice(0, 3);
}

/** A danger of which nothing is known may hide behind a low score. */
function unchecked({ context }: Topic): Phrase | null {
  const { level, unknown_floors: names } = context.answers.risk;
  if (level === null || names.length === 0) return null;
  const found = listed(names.map((name) => dangers[name] ?? name));
  return plain(`The score may be too low, because it could not be checked for ${found}.`);
}

/** The level, the score, and what weighs most in it. */
export function score(topic: Topic): Phrase {
  const { context, writer } = topic;
  const { level, floors } = context.answers.risk;
  const figure = writer.figure('risk.score');
  const causes = raisedBy(topic);
  return together([
    either(
      level === null || causes.length === 0
        ? null
        : writer.phrase`Risk is ${level}: the score, where higher is riskier, is ${figure}, mainly because of ${listed(causes)}.`,
      level === null ? null : writer.phrase`Risk is ${level}: the score, where higher is riskier, is ${figure}.`,
      missing(topic, 'risk.score', 'The risk score'),
    ),
    ...floors.map(({ reason }, index) =>
      either(
        writer.phrase`The score stays at ${writer.figure(`risk.floors.${index}.floor`)} or more while ${lowerFirst(reason)}`,
        writer.phrase`The score stays high while ${lowerFirst(reason)}`,
      ),
    ),
    unchecked(topic),
  ]);
}

/** The latest fall of the price: how deep, since when, and whether it is over. */
function latestEpisode({ context, writer }: Topic): Phrase | null {
  const [episode] = context.answers.drawdown.episodes;
  if (!episode) return null;
  const of = (name: string) => writer.figure(`risk/drawdown.episodes.0.${name}`);
  return either(
    writer.phrase`The latest drawdown was ${of('depth')} deep; it began at ${of('start')}, was recovered at ${of('recovered')} and took ${of('duration_seconds')}.`,
    writer.phrase`The latest drawdown is ${of('depth')} deep; it began at ${of('start')} and has lasted ${of('duration_seconds')} so far.`,
  );
}

/** The deepest fall of a month, and the present one. */
export function deepest(topic: Topic): Phrase | null {
  const { writer } = topic;
  const fall = writer.figure('risk.max_drawdown_30d');
  const now = writer.figure('performance.drawdown_now');
  return either(
    sizeOf(fall) === 0 ? plain('There was no drawdown in the last 30 days.') : null,
    sizeOf(now) === 0
      ? writer.phrase`The deepest drawdown within 30 days was ${fall}; it has been recovered.`
      : writer.phrase`The deepest drawdown within 30 days was ${fall}; the price now stands ${now} below its high, a drawdown that is not recovered.`,
    missing(topic, 'risk.max_drawdown_30d', 'The drawdown'),
  );
}

/** Falls of the price: the latest, and the deepest of the month where that is another. */
export const drawdowns = (topic: Topic): Phrase => together([deepest(topic), latestEpisode(topic)]);

/** How long holders stood below an earlier high. */
export const underwater = ({ writer }: Topic): Phrase | null =>
  writer.phrase`The price closed below an earlier high on ${writer.figure('performance.time_in_loss')} of the last 30 days.`;

export const volatility = (topic: Topic): Phrase | null =>
  either(
    topic.writer
      .phrase`Volatility is ${topic.writer.figure('risk.volatility_daily')} per day, ${topic.writer.figure('risk.volatility_annual')} per year.`,
    missing(topic, 'risk.volatility_daily', 'Volatility'),
  );

export function sharpe({ context, writer }: Topic): Phrase {
  const note = context.answers.risk.sharpe_note;
  return (
    either(
      writer.phrase`The Sharpe ratio is ${writer.figure('risk.sharpe')}.`,
      note === null ? null : writer.phrase`There is no Sharpe ratio: ${note}.`,
    ) ?? plain('The Sharpe ratio has no value yet, because there is too little history.')
  );
}

export function concentration({ context, writer }: Topic): Phrase | null {
  const { band } = context.answers.risk.concentration;
  if (band === null) return null;
  return either(
    writer.phrase`Concentration is ${band} at ${writer.figure('risk.concentration.points')} HHI points, as if the assets were spread over ${writer.figure('risk.concentration.effective_sources')} equal sources.`,
    plain(`Concentration by source is ${band}.`),
  );
}

export const holders = ({ writer }: Topic): Phrase | null =>
  writer.phrase`The largest holder has ${writer.figure('risk.top_holder_share')} of the shares, the 10 largest have ${writer.figure('risk.top10_holder_share')}.`;

/** The risk of a vault: its level and why, the last fall, and what to watch in the price. */
export const aboutRisk = (topic: Topic): Phrase =>
  note(
    [score(topic), latestEpisode(topic) ?? deepest(topic), volatility(topic), holders(topic)],
    isPriceSound(topic)
      ? together([plain('Watch the price, which is on time now.'), usableUntil(topic)])
      : together([plain('Watch the price.'), priceTrouble(topic)]),
  );
