import { shortAddress } from '../../context/extract.ts';
import { concentration } from './risk.ts';
import type { Topic } from './topic.ts';
import { either, type Phrase, plain, safeName, together } from './writer.ts';

type Source = {
  called: string;
  index: number;
  share: number;
  apy: number | null;
  isIdle: boolean;
  isActive: boolean;
};

/** Where the assets are, largest first; by its name where that is a plain name, else by its address. */
function sourcesOf({ context }: Topic): Source[] {
  return context.detail.allocation
    .map(({ name, source_address, kind, share, apy, is_active }, index) => ({
      called: safeName(name) ?? shortAddress(source_address),
      index,
      share: share ?? 0,
      apy,
      isIdle: kind === 'idle',
      isActive: is_active,
    }))
    .sort((a, b) => b.share - a.share);
}

const figureOf = ({ writer }: Topic, { index }: Source, name: string) =>
  writer.figure(`vault.allocation.${index}.${name}`);

function one(topic: Topic, source: Source): Phrase | null {
  const { writer } = topic;
  const share = figureOf(topic, source, 'share');
  return either(
    writer.phrase`${source.called} holds ${share} of the assets and yields ${figureOf(topic, source, 'apy')} per year.`,
    writer.phrase`${source.called} holds ${share} of the assets.`,
    plain(`${source.called} could not be valued.`),
  );
}

/** The source that carries the most of the yield: by its share times its own APY. */
function carrierOf(topic: Topic): Source | null {
  const earning = sourcesOf(topic).filter(({ isIdle, apy }) => !isIdle && apy !== null);
  const [first] = earning.sort((a, b) => b.share * (b.apy ?? 0) - a.share * (a.apy ?? 0));
  return first && first.share * (first.apy ?? 0) > 0 ? first : null;
}

export function carrier(topic: Topic): Phrase | null {
  const first = carrierOf(topic);
  if (!first) return null;
  return topic.writer
    .phrase`${first.called} carries the most of the yield, with ${figureOf(topic, first, 'share')} of the assets at an APY of ${figureOf(topic, first, 'apy')}.`;
}

/** Said once, and not of every source. */
function withoutApy(deployed: readonly Source[]): Phrase | null {
  const silent = deployed.filter(({ apy }) => apy === null).length;
  if (silent === 0) return null;
  const who = silent === deployed.length ? 'None of the sources has' : 'Not every source has';
  return plain(`${who} an APY of its own yet, so that the yield cannot be told apart by source.`);
}

const most = 4;

/** Where the yield of a vault comes from. */
export function aboutSources(topic: Topic): Phrase {
  const sources = sourcesOf(topic);
  const deployed = sources.filter(({ isIdle }) => !isIdle);
  const rest = deployed.filter(({ index }) => index !== carrierOf(topic)?.index);
  const idle = sources.find(({ isIdle }) => isIdle);
  if (deployed.length === 0) return plain('The vault has no yield source on its list: all of its assets are idle.');
  return together([
    topic.writer.phrase`Yield sources with assets: ${topic.writer.figure('overview.strategies')}.`,
    carrier(topic),
    ...rest.slice(0, most).map((source) => one(topic, source)),
    rest.length > most ? plain('Further sources hold less.') : null,
    withoutApy(deployed),
    idle ? topic.writer.phrase`Idle assets make ${figureOf(topic, idle, 'share')}; they earn nothing.` : null,
    deployed.some(({ isActive }) => !isActive)
      ? plain('At least one source is no longer on the list of the vault.')
      : null,
    concentration(topic),
  ]);
}
