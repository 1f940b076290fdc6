/** A round, by the configuration that it is of. */
export type RoundPlace = { digest: string; epoch: number; round: number };

/** What a round is stored under. */
export const idOf = ({ digest, epoch, round }: RoundPlace): string => `${digest}:${epoch}:${round}`;
/** The round of an event. */
export const placeOf = ({
  config_digest,
  epoch,
  round,
}: {
  config_digest: string | null;
  epoch: number;
  round: number;
}) => ({
  digest: config_digest ?? 'none',
  epoch,
  round,
});
