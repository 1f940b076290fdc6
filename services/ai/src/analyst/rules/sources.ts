import { shortAddress } from '../../context/extract.ts';
import { concentration } from './risk.ts';
import { note, type Topic } from './topic.ts';
import { either, type Phrase, plain, safeName } from './writer.ts';

export type Source = {
  called: string;
  index: number;
  share: number;
  apy: number | null;
  isIdle: boolean;
  isActive: boolean;
};

/** Where the assets are, largest first; by its name where that is a plain name, else by its address. */
export function sourcesOf({ context }: Topic): Source[] {
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

export const figureOf = ({ writer }: Topic, { index }: Pick<Source, 'index'>, name: string) =>
  writer.figure(`vault.allocation.${index}.${name}`);

/** One source: its share, and what it yields where that is known. */
export function oneSource(topic: Topic, source: Source): Phrase | null {
  const { writer } = topic;
  const share = figureOf(topic, source, 'share');
  return either(
    writer.phrase`${source.called} holds ${share} of the assets and yields ${figureOf(topic, source, 'apy')} per year.`,
    writer.phrase`${source.called} holds ${share} of the assets.`,
    plain(`${source.called} could not be valued.`),
  );
}

/** The source that carries most of the yield: by its share times its own APY. */
function carrierOf(topic: Topic): Source | null {
  const earning = sourcesOf(topic).filter(({ isIdle, apy }) => !isIdle && apy !== null);
  const [first] = earning.sort((a, b) => b.share * (b.apy ?? 0) - a.share * (a.apy ?? 0));
  return first && first.share * (first.apy ?? 0) > 0 ? first : null;
}

export function carrier(topic: Topic): Phrase | null {
  const first = carrierOf(topic);
  if (!first) return null;
  return topic.writer
    .phrase`${first.called} carries most of the yield: it holds ${figureOf(topic, first, 'share')} of the assets at an APY of ${figureOf(topic, first, 'apy')}.`;
}

/** Said once, and not of every source. */
function withoutApy(deployed: readonly Source[]): Phrase | null {
  const silent = deployed.filter(({ apy }) => apy === null).length;
  if (silent === 0) return null;
  return plain(
    silent === deployed.length
      ? 'No source has an APY of its own yet, so what each of them earns is not known.'
      : 'Some sources have no APY of their own yet, so what they earn is not known.',
  );
}

/** What waits to be invested. */
export function idle(topic: Topic): Phrase | null {
  const found = sourcesOf(topic).find(({ isIdle }) => isIdle);
  return found === undefined
    ? null
    : either(
        topic.writer
          .phrase`Idle assets are ${figureOf(topic, found, 'share')} of the vault (${figureOf(topic, found, 'usd')}) and earn nothing.`,
        topic.writer.phrase`Idle assets are ${figureOf(topic, found, 'share')} of the vault and earn nothing.`,
      );
}

const most = 2;

function watched(topic: Topic, [first]: readonly Source[]): Phrase | null {
  if (first === undefined) return null;
  const { writer } = topic;
  return either(
    writer.phrase`Watch ${first.called}, on which the vault depends most; it is valued again with the next price, due at ${writer.figure('transmissions.next.due_at')}.`,
    plain(`Watch ${first.called}, on which the vault depends most.`),
  );
}

/** Where the yield of a vault comes from: the source that carries it, the others, what is idle, how concentrated it is. */
export function aboutSources(topic: Topic): Phrase {
  const deployed = sourcesOf(topic).filter(({ isIdle }) => !isIdle);
  if (deployed.length === 0) return plain('The vault has no yield source on its list: all of its assets are idle.');
  const carries = carrier(topic);
  const rest = deployed.filter(({ index }) => carries === null || index !== carrierOf(topic)?.index);
  return note(
    [
      carries,
      ...rest.slice(0, most).map((source) => oneSource(topic, source)),
      rest.length > most ? plain('Further sources hold less.') : null,
      withoutApy(deployed),
      idle(topic),
      deployed.some(({ isActive }) => !isActive)
        ? plain('At least one source still holds assets and is no longer on the list of the vault.')
        : null,
      concentration(topic),
    ],
    watched(topic, deployed),
  );
}
