import { aboutPrice, isPriceSound } from './price.ts';
import { listed, missing, sizeOf, type Topic } from './topic.ts';
import { either, type Phrase, plain, together } from './writer.ts';

/** The score, its level, and what it is made of. */
export function score(topic: Topic): Phrase {
  const { context, writer } = topic;
  const { level, top_contributors, floors } = context.answers.risk;
  return together([
    either(
      level === null
        ? null
        : writer.phrase`The risk score is ${writer.figure('risk.score')}, level ${level}; higher is riskier.`,
      missing(topic, 'risk.score', 'The risk score'),
    ),
    top_contributors.length > 0 ? writer.phrase`What weighs most: ${listed(top_contributors.slice(0, 3))}.` : null,
    ...floors.map(({ reason }) => writer.phrase`The score has a floor: ${reason}`),
  ]);
}

function latestEpisode({ context, writer }: Topic): Phrase | null {
  const [episode] = context.answers.drawdown.episodes;
  if (!episode) return null;
  const of = (name: string) => writer.figure(`risk/drawdown.episodes.0.${name}`);
  return either(
    writer.phrase`The latest drawdown began at ${of('start')}, was ${of('depth')} deep at ${of('trough')}, and was made good at ${of('recovered')}.`,
    writer.phrase`The latest drawdown began at ${of('start')}, was ${of('depth')} deep at ${of('trough')}, and lasts for ${of('duration_seconds')} so far.`,
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
      ? writer.phrase`The deepest drawdown within 30 days was ${fall}; it has been made good.`
      : writer.phrase`The deepest drawdown within 30 days was ${fall}; at present it is ${now}.`,
    missing(topic, 'risk.max_drawdown_30d', 'The drawdown'),
  );
}

/** Falls of the price: the deepest, the present one and the latest episode. */
export function drawdowns(topic: Topic): Phrase {
  return together([
    deepest(topic),
    latestEpisode(topic),
    topic.writer
      .phrase`The price stood under an earlier high on ${topic.writer.figure('performance.time_in_loss')} of the last 30 days.`,
  ]);
}

function volatility(topic: Topic): Phrase {
  const { context, writer } = topic;
  const note = context.answers.risk.sharpe_note;
  return together([
    either(
      writer.phrase`Volatility is ${writer.figure('risk.volatility_daily')} per day and ${writer.figure('risk.volatility_annual')} per year.`,
      missing(topic, 'risk.volatility_daily', 'Volatility'),
    ),
    either(
      writer.phrase`The Sharpe ratio is ${writer.figure('risk.sharpe')}.`,
      note === null ? null : writer.phrase`There is no Sharpe ratio: ${note}.`,
    ),
  ]);
}

export function concentration({ context, writer }: Topic): Phrase | null {
  const { band } = context.answers.risk.concentration;
  if (band === null) return null;
  return either(
    writer.phrase`Concentration is ${band}, at ${writer.figure('risk.concentration.points')} points of the HHI, as if there were ${writer.figure('risk.concentration.effective_sources')} equal sources.`,
    plain(`Concentration of the sources is ${band}.`),
  );
}

export const holders = ({ writer }: Topic): Phrase | null =>
  either(
    writer.phrase`The largest holder has ${writer.figure('risk.top_holder_share')} of the shares, the 10 largest have ${writer.figure('risk.top10_holder_share')}.`,
  );

/** The risk of a vault. */
export const aboutRisk = (topic: Topic): Phrase =>
  together([
    score(topic),
    drawdowns(topic),
    volatility(topic),
    concentration(topic),
    holders(topic),
    isPriceSound(topic) ? plain('The price is on time.') : aboutPrice(topic),
  ]);
